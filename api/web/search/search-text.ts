import type { MailPlace } from '../place-url.ts';

/** Range of characters of a text, without its end. */
type Range = { from: number; to: number };

/**
 * Parts of a search's text: parentheses, and words, phrases and operators with their values. Bounded: the field of the search takes
 * a limited text.
 */
const parts = /-?\((?=\S)|\)|-?(?:[A-Za-z][\w-]*:[^\s"]*)?"(?:\\"|[^"])*"|\S+?(?=\)*(?:\s|$))/g;

/** Operators that a rule does not take, since a new mail does not tell them. */
const besideTheMail = /^-?(?:is|tag|in|account|domain|after|before|newer_than|older_than):./i;

/** Returns what a rule takes of a search, and the parts that it does not take. */
export function forRule(text: string): { q: string; leftOut: string[] } {
  const places = [...text.matchAll(parts)]
    .filter(([part]) => besideTheMail.test(part))
    .map(({ 0: part, index }) => ({ from: index, to: index + part.length }));
  return { q: without(text, ...places), leftOut: places.map(({ from, to }) => text.slice(from, to)) };
}

/** Returns a text without ranges of it, in their order, and without the parentheses and ORs that then join nothing. */
function without(text: string, ...places: Range[]): string {
  return (
    places
      .reduceRight((rest, { from, to }) => `${rest.slice(0, from)} ${rest.slice(to)}`, text)
      .replace(/-?\(\s*(?:OR\s+)*\)/g, ' ')
      .replace(/\bOR(?:\s+OR\b)+/g, 'OR')
      .replace(/(^|\()\s*OR\s+/g, '$1')
      // Bounded: as above.
      .replace(/\s+OR\s*(?=$|\))/g, '')
      .replace(/\(\s+/g, '(')
      .replace(/\s+\)/g, ')')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

/** Returns an operator with its value, in quotes if need be: `in:"Release 4.2"`. */
export const operatorWith = (name: string, value: string) =>
  `${name}:${/[\s()"]/.test(value) ? `"${value.replaceAll('"', '\\"')}"` : value}`;

/** Name of the account and of the mailbox of a place. */
type Names = { address: string; path: string } | null;

/** Returns a search that finds in all mail what a place shows: its words, its flags, and its mailbox. */
export function textOf({ q, unread, is_flagged, has_attachments }: MailPlace, box: Names): string {
  return [
    q,
    unread && 'is:unread',
    is_flagged && 'is:flagged',
    has_attachments && 'has:attachment',
    box && operatorWith('account', box.address),
    box && operatorWith('in', box.path),
  ]
    .filter(Boolean)
    .join(' ');
}
