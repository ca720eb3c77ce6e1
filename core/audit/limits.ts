import { type LimitName, limitTable } from '#core/limits.ts';

type Entry = { value: number; unit: string };

const entries: Record<string, Entry> = Object.fromEntries(
  Object.entries(limitTable).flatMap(([section, limits]) =>
    Object.entries(limits).map(([name, limit]): [string, Entry] => [`${section}.${name}`, limit]),
  ),
);

/** Tells that limits of Sandpost, not the sender, are the cause: their names and values. */
export function tellLimits(names: LimitName[]): string {
  const told = names.map((name) => {
    const { value, unit } = entries[name] ?? { value: 0, unit: 'items' };
    return `${name} (${value}${unit === 'items' ? '' : ` ${unit}`})`;
  });
  return `Sandpost's limit ${told.join(' and ')} was reached`;
}

/** A header section that reaches one of these is not checked at all. */
export const headerLimits: ReadonlySet<LimitName> = new Set<LimitName>([
  'mail.signedHeaderBytes',
  'mail.signedHeaderLines',
  'mail.signedHeaderSpaces',
  'mail.signatureFieldBytes',
  'mail.signatures',
]);

/** A check that reaches one of these has no result. */
export const checkLimits: ReadonlySet<LimitName> = new Set<LimitName>([
  'mail.signatureMs',
  'mail.dnsMs',
  'mail.dnsQuestions',
]);
