import { quantityToScalar } from '@kubernetes/client-node';

/** Bytes of a Kubernetes quantity such as 100Mi. The schema admits only whole numbers up to 2^53 - 1. */
export function bytesOf(quantity: string | number): number {
  return Number(quantityToScalar(String(quantity)));
}
