import { operatorWith } from './search-text.ts';

/** Text that completes a word, and what it means. */
export type Option = { text: string; says: string };

/** Options for the word between two places of the text. */
export type Completion = { from: number; to: number; options: Option[] };

/** Values that only the team knows, by the operators that take them. */
export type Known = Partial<Record<string, string[]>>;

/**
 * Results that each mechanism has (RFC 8601 section 2.7, RFC 7489 section 11.2, RFC 8617 section 4.4). ARC has `temperror` here for a
 * chain that the DNS left open.
 */
const results = {
  spf: 'pass fail none softfail neutral temperror permerror'.split(' '),
  dkim: 'pass fail none policy neutral temperror permerror'.split(' '),
  dmarc: 'pass fail none temperror permerror'.split(' '),
  arc: 'pass fail none temperror'.split(' '),
};

/** Operators, what each means, and the values that it takes or that are examples of them. */
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

/** Word in front of a place, after a space, a parenthesis or a minus. A quote may hold spaces. */
const wordBefore = /(?:^|[\s(])-?([^\s("]*(?:"[^"]*)?)$/;

/** Returns how the word at a place of a search can go on. `all` also gives the operators where there is no word. */
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
 * Returns the operator of a part of a search that lacks a value, or a unit, or that takes other values, which it then has. `right` is the part
 * with the word among them that its value misspells, as in `is:unread` for `is:unred`. Null for a value that begins like one of them.
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
 * Returns a part of a search with the operator that it misspells, as in `from:shop` for `form:shop`, or that it leaves out, as in `has:code`
 * for `code:`. Null if it misspells none.
 */
export function spelledRight(part: string): string | null {
  const [, minus = '', typed = '', value = ''] = /^(-?)([A-Za-z][\w-]{2,15}):(?!\/\/)(.*)$/.exec(part) ?? [];
  const name = typed.toLowerCase();
  if (name === '' || operatorNamed(name)) return null;
  const whole = ['has', 'is'].find((operator) => operatorNamed(operator)?.[1]?.includes(name));
  // A minus would exclude only the first of two parts.
  if (whole && !(minus && value) && !value.includes('://')) return `${minus}${whole}:${name} ${value}`.trim();
  if (value === '') return null;
  const right = Object.keys(operators).find((operator) => isSlip(name, operator));
  return right === undefined ? null : `${minus}${right}:${value}`;
}

/**
 * Checks whether two words differ in the order of two neighbours, a plural, or, from four letters on, in one letter, which is another,
 * missing or too much. A short operator is one letter from many words: `top:10`, `win:x`.
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

/** Returns a search without an operator at its end that has no value yet, for which nobody looks. */
export const withoutBegun = (text: string): string =>
  text.replace(/(^|[\s(])-?([A-Za-z][\w-]*):$/, (all, before: string, name: string) =>
    operatorNamed(name.toLowerCase()) ? before : all,
  );
