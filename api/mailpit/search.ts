import { invalid } from '#core/errors.ts';
import { foldText } from '#core/extraction/search-text.ts';
import { limits } from '#core/limits.ts';
import { type Query, termsOf } from '#core/messages/query.ts';
import { readTerm } from '#core/query/values.ts';

const { queryCharacters, queryTerms } = limits.answers;

/** Prefixes of both programs. Both ignore an empty value of those in `same`, and read other values of those in `orText` as text. */
const same = ['to', 'from', 'cc', 'bcc', 'subject', 'tag'];
const orText = ['is', 'has', 'larger', 'smaller'];

/** Mailpit conditions that Sandpost's search does not support. */
const withoutCounterpart = ['is:tagged', 'has:inline', 'has:inlines'];

/**
 * Reads a Mailpit search: terms that must all match, "phrases", and exclusions with a leading `-` or `!`. Throws Invalid for a
 * condition that Sandpost's search does not support, and for too many conditions.
 */
export function readSearch(text: string): Query {
  if (text.length > queryCharacters)
    throw invalid('query', `must have at most ${queryCharacters} characters`, 'answers.queryCharacters');
  const all = termsIn(text).flatMap((typed) => {
    const negated = /^[-!]./su.test(typed);
    const query = condition(negated ? typed.slice(1) : typed);
    return query === null ? [] : [negated ? { not: query } : query];
  });
  if (termsOf({ all }).length > queryTerms)
    throw invalid('query', `must have at most ${queryTerms} terms`, 'answers.queryTerms');
  return { all };
}

/** Splits a search at spaces outside quotation marks, and removes the marks. */
function termsIn(text: string): string[] {
  const pieces = text.split('"');
  const terms = [''];
  for (const [index, piece] of pieces.entries()) {
    const [first = '', ...more] = index % 2 === 0 ? piece.split(' ') : [piece];
    terms.push(`${terms.pop() ?? ''}${first}`);
    for (const term of more) terms.push(term);
  }
  return terms.map((term) => term.trim()).filter((term) => term !== '');
}

function condition(typed: string): Query | null {
  const lower = typed.toLowerCase();
  if (withoutCounterpart.includes(lower))
    refuse(`must not contain ${lower}: Sandpost does not support that condition`);
  const colon = typed.indexOf(':');
  const [name, value] = [lower.slice(0, Math.max(colon, 0)), cleaned(typed.slice(colon + 1))];
  if (same.includes(name)) return readTerm(name, value);
  if (name === 'reply-to' || name === 'message-id') return headerTerm(name, value);
  if (name === 'addressed') return addressed(value);
  if (name === 'before' || name === 'after') return dated(name, value);
  return (orText.includes(name) ? readTerm(name, value) : null) ?? textTerm(cleaned(typed));
}

function addressed(value: string): Query | null {
  const terms = ['to', 'from', 'cc', 'bcc'].map((field) => readTerm(field, value));
  const any = [...terms, headerTerm('reply-to', value)].filter((term) => term !== null);
  return any.length === 0 ? null : { any };
}

/** Replaces the characters that Mailpit omits from the text that it searches. */
const cleaned = (text: string) => text.replace(/[\r\n\t<>",;()\uFEFF]/g, ' ').trim();

/** Returns the term for a word, which Mailpit also finds in file names. */
function textTerm(typed: string): Query | null {
  const part = foldText(typed);
  if (part === '') return null;
  return {
    any: [
      { field: 'text', part, typed },
      { field: 'filename', part, typed },
    ],
  };
}

/** Returns the term for part of a header field. Mailpit also finds parts of a Message-ID. */
const headerTerm = (name: string, value: string) =>
  value === '' ? null : readTerm('header', `${name}=${value}`);

/** Returns the term for a time. Both programs assume UTC if there is no offset. */
function dated(field: 'before' | 'after', value: string): Query | null {
  if (value === '') return null;
  const sentence = `${field}: must be a date such as 2026-11-21, optionally with a time such as T10:00 or T10:00:00Z`;
  return readTerm(field, value.toUpperCase()) ?? refuse(sentence);
}

function refuse(sentence: string): never {
  throw invalid('query', sentence);
}
