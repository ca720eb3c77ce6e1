import { operatorWith, parts } from './search-text.ts';

/** Text that completes a word, and its meaning. */
export type Option = { text: string; says: string };

/** Options for the word between two positions in the text. */
export type Completion = { from: number; to: number; options: Option[] };

/** Team-specific values, by the operators that accept them. */
export type Known = Partial<Record<string, string[]>>;

/**
 * Possible results of each mechanism (RFC 8601 section 2.7, RFC 7489 section 11.2, RFC 8617 section 4.4). ARC has `temperror`
 * here for a chain that DNS left undecided.
 */
const results = {
  spf: 'pass fail none softfail neutral temperror permerror'.split(' '),
  dkim: 'pass fail none policy neutral temperror permerror'.split(' '),
  dmarc: 'pass fail none temperror permerror'.split(' '),
  arc: 'pass fail none temperror'.split(' '),
};

/** Operators, each with its meaning and its values or example values. */
const operators: Record<string, [says: string, values?: string[]]> = {
  from: ['sender'],
  to: ['recipient'],
  cc: ['Cc recipient'],
  bcc: ['Bcc recipient'],
  subject: ['part of the subject'],
  body: ['part of the text'],
  filename: ['attachment name'],
  header: ['header field', ['X-Run=7']],
  address: ['exact recipient, with its tag'],
  tag: ['message tag'],
  trace: ['trace ID in its traceparent'],
  namespace: ['Kubernetes namespace that sent it'],
  pod: ['pod that sent it'],
  workload: ['workload that sent it, as in workload:deployment/shop'],
  in: ['mailbox'],
  account: ['account'],
  domain: ['domain'],
  is: ['state', ['unread', 'read', 'flagged', 'unflagged']],
  has: ['part of the message', ['attachment', 'code', 'link', 'html']],
  after: ['after a date', ['2026-11-25']],
  before: ['before a date', ['2026-11-25']],
  newer_than: ['younger than', ['30m', '2h', '1d', '7d']],
  older_than: ['older than', ['1h', '1d', '7d', '30d']],
  larger: ['larger than', ['100k', '1M', '10M']],
  smaller: ['smaller than', ['10k', '100k', '1M']],
  spf: ['SPF result', results.spf],
  dkim: ['DKIM result', results.dkim],
  dmarc: ['DMARC result', results.dmarc],
  arc: ['ARC result', results.arc],
  audit: ['severity of a finding', ['critical', 'warning', 'info']],
  'message-id': ['exact Message-ID'],
  authenticated: ['account or API key that sent it'],
  provider: [
    'provider API that received it',
    'sendgrid postmark mailgun resend ses mailjet brevo mailersend'.split(' '),
  ],
};

const operatorNamed = (name: string) => (Object.hasOwn(operators, name) ? operators[name] : undefined);

const mostOptions = 8;

/** Word before the caret, after a space, a parenthesis or a minus. A quote may contain spaces. */
const wordBefore = /(?:^|[\s(])-?([^\s("]*(?:"[^"]*)?)$/;

/** Returns the possible completions of the word at the caret. If there is no word, `all` also returns the operators. */
export function complete(text: string, caret: number, known: Known, all = false): Completion {
  const [, word = ''] = wordBefore.exec(text.slice(0, caret)) ?? [];
  const from = caret - word.length;
  const [rest = ''] = /^[^\s)]*/.exec(text.slice(caret)) ?? [];
  const place = { from, to: caret + rest.length };
  const [, name = '', typed = ''] = /^([A-Za-z][\w-]*):"?(.*)$/.exec(word) ?? [];
  if (name !== '') return { ...place, options: valuesOf(name.toLowerCase(), typed, known) };
  if (word === '' ? !all : word.startsWith('"')) return { ...place, options: [] };
  const options = Object.entries(operators).flatMap(([operator, [says]]) =>
    operator.startsWith(word.toLowerCase()) ? [{ text: `${operator}:`, says }] : [],
  );
  return { ...place, options: word === '' ? options : options.slice(0, mostOptions) };
}

function valuesOf(name: string, typed: string, known: Known): Option[] {
  const values = (Object.hasOwn(known, name) && known[name]) || operatorNamed(name)?.[1] || [];
  const wanted = typed.toLowerCase();
  const found = values.filter((value) => value.toLowerCase().includes(wanted));
  if (found.length === 1 && found[0]?.toLowerCase() === wanted) return [];
  const says = operatorNamed(name)?.[0];
  if (values.length === 0 && typed === '' && says)
    return [{ text: `${name}:`, says: `${says}, right after the colon` }];
  return found.slice(0, mostOptions).map((value) => ({ text: `${operatorWith(name, value)} `, says: '' }));
}

/**
 * Returns the operator of a search part whose value is missing, lacks a unit, or is not among the operator's `values`. `right` is the
 * part with its misspelled value corrected, such as `is:unread` for `is:unred`. Null for the beginning of a valid value.
 */
export function operatorOf(
  part: string,
): { name: string; values: string[] | undefined; right: string | undefined } | null {
  const [, minus, name = '', value] = /^(-?)([^:]*)(?::(.*))?$/s.exec(part.toLowerCase()) ?? [];
  const [says, values] = operatorNamed(name) ?? [];
  if (!says || value === undefined) return null;
  if (value === '') return { name, values, right: undefined };
  if (!values || (/\D/.test(value) && values.some((one) => one.startsWith(value)))) return null;
  const right = values.find((one) => /^[a-z]+$/.test(one) && isSlip(value, one));
  return { name, values, right: right && `${minus}${name}:${right}` };
}

/**
 * Returns a search part with its misspelled operator corrected, such as `from:shop` for `form:shop`, or its missing operator
 * added, such as `has:code` for `code:`. Null if neither applies.
 */
export function correctedSpelling(part: string): string | null {
  const [, minus = '', typed = '', value = ''] = /^(-?)([A-Za-z][\w-]{2,15}):(?!\/\/)(.*)$/.exec(part) ?? [];
  const name = typed.toLowerCase();
  if (name === '' || operatorNamed(name)) return null;
  const whole = ['has', 'is'].find((operator) => operatorNamed(operator)?.[1]?.includes(name));
  // With two parts, a minus would exclude only the first of them.
  if (whole && !(minus && value) && !value.includes('://')) return `${minus}${whole}:${name} ${value}`.trim();
  if (value === '') return null;
  const right = Object.keys(operators).find((operator) => isSlip(name, operator));
  return right === undefined ? null : `${minus}${right}:${value}`;
}

/** Returns a part's operator with its colon. */
export const nameIn = (part: string) => part.slice(0, part.indexOf(':') + 1).replace(/^-/, '');

/** Warns of the first misspelled operator in a search's text. The API accepts it, as a word. */
export function warningOf(text: string): string | undefined {
  for (const [part] of text.matchAll(parts)) {
    const right = correctedSpelling(part);
    if (right) return `No operator “${nameIn(part)}”. Did you mean “${right}”?`;
  }
  return undefined;
}

/**
 * Checks whether two words differ by two swapped neighboring letters, a plural or, from four letters on, one replaced, missing or extra
 * letter. A short operator is one letter away from many words: `top:10`, `win:x`.
 */
function isSlip(typed: string, right: string): boolean {
  const shorter = Math.min(typed.length, right.length);
  let start = 0;
  while (start < shorter && typed[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && typed.at(-1 - end) === right.at(-1 - end)) end++;
  const ours = typed.slice(start, typed.length - end);
  const theirs = right.slice(start, right.length - end);
  const isOneLetter = right.length > 3 && ours.length <= 1 && theirs.length <= 1;
  if (isOneLetter || typed === `${right}s`) return true;
  return ours.length === 2 && theirs === `${ours[1]}${ours[0]}`;
}

/** Returns a search without a trailing operator that has no value yet, because nobody searches for such an operator. */
export const withoutBegun = (text: string): string =>
  text.replace(/(^|[\s(])-?([A-Za-z][\w-]*):$/, (all, before: string, name: string) =>
    operatorNamed(name.toLowerCase()) ? before : all,
  );
