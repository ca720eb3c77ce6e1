import type { MailPlace } from '../place-url.ts';

/** Range of characters in a string, excluding the character at `to`. */
type Range = { from: number; to: number };

/**
 * Parts of a search's text: parentheses, and words, phrases and operators with their values. Bounded: the search field limits the length
 * of its text.
 */
export const parts = /-?\((?=\S)|\)|-?(?:[A-Za-z][\w-]*:[^\s"]*)?"(?:\\"|[^"])*"|\S+?(?=\)*(?:\s|$))/g;

/** Operators that rules do not support, because a new email does not contain their values. */
const besideTheMail = /^-?(?:is|tag|in|account|domain|after|before|newer_than|older_than):./i;

/** Returns the part of a search that a rule supports, and the parts that it does not support. */
export function forRule(text: string): { q: string; leftOut: string[] } {
  const places = [...text.matchAll(parts)]
    .filter(([part]) => besideTheMail.test(part))
    .map(({ 0: part, index }) => ({ from: index, to: index + part.length }));
  return { q: without(text, ...places), leftOut: places.map(({ from, to }) => text.slice(from, to)) };
}

/** Removes ranges, in ascending order, from a search, and the parentheses and ORs that then join nothing. */
function without(text: string, ...places: Range[]): string {
  return (
    places
      .reduceRight((rest, { from, to }) => `${rest.slice(0, from)} ${rest.slice(to)}`, text)
      .replace(/-?\(\s*(?:OR\s+)*\)/g, ' ')
      .replace(/\bOR(?:\s+OR\b)+/g, 'OR')
      .replace(/(^|\()\s*OR\s+/g, '$1')
      // Bounded: the search field limits the length of its text.
      .replace(/\s+OR\s*(?=$|\))/g, '')
      .replace(/\(\s+/g, '(')
      .replace(/\s+\)/g, ')')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

/** Returns an operator with its value, quoted if necessary: `in:"Release 4.2"`. */
export const operatorWith = (name: string, value: string) =>
  `${name}:${/[\s()"]/.test(value) ? `"${value.replaceAll('"', '\\"')}"` : value}`;

/** Address of a place's account, and path of its mailbox. */
type Names = { address: string; path: string } | null;

/** Returns a search in all mail for what a place shows: its words, flags and mailbox. */
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
