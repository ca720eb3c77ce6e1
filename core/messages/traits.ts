import { type AuthResult, authResults, type MessageContent } from './content.ts';
import type { Field, Term } from './query.ts';
import { tagKey } from './tags.ts';

/**
 * Traits of a message: a number below 2^52 whose bits answer frequent searches, so an index that contains it can serve them.
 * - 0 to 10: the email has a code, a link, HTML, Cc, Bcc, a provider request, critical, warning, info and passed checks.
 * - 11 to 27: results of DMARC, SPF and ARC in three bits each, and a bit for each result of a DKIM signature.
 * - 28 to 51: signature of the message's keys (`keysOf`), two bits per key. A key whose bits are set is looked up in the row.
 */
const flags = [
  'code',
  'link',
  'html',
  'cc',
  'bcc',
  'provider',
  'critical',
  'warning',
  'info',
  'passed',
] as const;
type Flag = (typeof flags)[number];
const resultAt = { dmarc: 11, spf: 14, arc: 17 } as const;
const dkimAt = 20;
const signature = { at: 28, bits: 24 };

/**
 * Bits that a message must have (`set`) and must not have (`clear`) to match a term. `exact`: every message that passes this test
 * matches.
 */
export type TraitTest = { set: number[]; clear: number[]; exact: boolean };

type TraitContent = Pick<
  MessageContent,
  'codes' | 'links' | 'cc' | 'bcc' | 'submission' | 'audit' | 'authentication'
>;

/** Returns the traits that all of an email's messages have. They are below 2^28, so bit operations work. */
export function traitsOf(content: TraitContent, hasHtml: boolean): number {
  const { codes, links, cc, bcc, submission, audit, authentication } = content;
  const { critical, warning, info, passed } = audit;
  // In the same order as `flags`.
  const has = [
    ...[codes.length > 0, links.length > 0, hasHtml, cc.length > 0, bcc.length > 0, submission !== undefined],
    ...[critical.length > 0, warning.length > 0, info.length > 0, passed.length > 0],
  ];
  let traits = 0;
  for (let bit = 0; bit < has.length; bit += 1) if (has[bit]) traits |= 1 << bit;
  for (const field of ['dmarc', 'spf', 'arc'] as const) {
    traits |= authResults.indexOf(authentication[field].result) << resultAt[field];
  }
  for (const result of dkimResults(authentication)) traits |= 1 << (dkimAt + authResults.indexOf(result));
  return traits;
}

/** Returns the results of an email's DKIM signatures, or `none` if it has no signatures (RFC 8601 section 2.7.1). */
export function dkimResults({ dkim }: Pick<MessageContent['authentication'], 'dkim'>): AuthResult[] {
  return dkim.length === 0 ? ['none'] : dkim.map(({ result }) => result);
}

/** Adds the signature of the message's keys to the email's traits. */
export function withKeys(traits: number, keys: string[]): number {
  const mail = traits % 2 ** signature.at;
  return mail + sumOf([...new Set(keys.flatMap(keyBits))]);
}

/** Prefixes of the kinds of keys, by the fields that search for them. */
const marks: Partial<Record<Field, string>> = {
  ...{ address: 'a', tag: 't', trace: 'x', namespace: 'n', pod: 'p', workload: 'w' },
};

/** Returns a message's keys: its addresses in their normal form, its tags and its trace, each with the prefix of its kind. */
export function keysOf(addresses: string[], tags: string[], traceId: string | null): string[] {
  const keys = [...addresses.map((address) => `a:${address}`), ...tags.map((tag) => `t:${tagKey(tag)}`)];
  if (traceId !== null) keys.push(`x:${traceId}`);
  return keys;
}

export function retagged(keys: string[], tags: string[]): string[] {
  return [...keys.filter((key) => !key.startsWith('t:')), ...keysOf([], tags, null)];
}

/** Returns the key that a term searches for, or null if the term does not search for a key. */
export function keyOf(term: Term): string | null {
  const mark = marks[term.field];
  return mark !== undefined && 'value' in term ? `${mark}:${term.value}` : null;
}

/** Returns the bits that decide whether a message may match a term, or null if no bits do. */
export function traitTest(term: Term): TraitTest | null {
  const key = keyOf(term);
  if (key !== null) return { set: keyBits(key), clear: [], exact: false };
  switch (term.field) {
    case 'has':
      return term.thing === 'attachment' ? null : flagTest(term.thing, true);
    case 'dmarc':
    case 'spf':
    case 'arc':
      return { ...resultBits(term.field, term.result), exact: true };
    case 'dkim':
      return { set: [dkimAt + authResults.indexOf(term.result)], clear: [], exact: true };
    case 'audit':
      return isFlag(term.value) ? flagTest(term.value, true) : null;
    case 'cc':
    case 'bcc':
    case 'provider':
      return flagTest(term.field, false);
    default:
      return null;
  }
}

const isFlag = (word: string): word is Flag => ['critical', 'warning', 'info', 'passed'].includes(word);

const flagTest = (flag: Flag, exact: boolean): TraitTest => {
  return { set: [flags.indexOf(flag)], clear: [], exact };
};

function resultBits(field: keyof typeof resultAt, result: AuthResult): { set: number[]; clear: number[] } {
  const value = authResults.indexOf(result);
  const bits = [0, 1, 2].map((bit) => ({ at: resultAt[field] + bit, isSet: ((value >> bit) & 1) === 1 }));
  const { set = [], clear = [] } = Object.groupBy(bits, ({ isSet }) => (isSet ? 'set' : 'clear'));
  return { set: set.map(({ at }) => at), clear: clear.map(({ at }) => at) };
}

/** Returns a key's two bits in the signature, from its FNV-1a hash. */
function keyBits(key: string): number[] {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193) >>> 0;
  }
  const { at, bits } = signature;
  return [...new Set([at + (hash % bits), at + (Math.floor(hash / bits) % bits)])];
}

/** Adds powers of two, because JavaScript's bit operations are limited to 32 bits. */
export function sumOf(bits: number[]): number {
  return bits.reduce((sum, bit) => sum + 2 ** bit, 0);
}
