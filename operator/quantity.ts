/** Factors of the suffixes of a Kubernetes quantity (apimachinery, resource.Quantity). */
const units: Record<string, number> = {
  '': 1,
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 },
};

/** Bytes of a quantity such as 100Mi. The schema admits only whole numbers up to 2^53 - 1. */
export function bytesOf(quantity: string | number): number {
  const [, digits = '', unit = ''] = /^([0-9]+)([kMGTP]i?|Ki)?$/.exec(String(quantity)) ?? [];
  return Number(digits) * (units[unit] ?? 1);
}
