import { foldText } from '#core/extraction/search-text.ts';
import type { Query } from '#core/messages/query.ts';
import { readTerm } from './values.ts';

/** Condition that a query requires, with the text that it was parsed from. */
export type QueryPart = { text: string; query: Query };

/**
 * Parses a query: words and "phrases" that must all occur, `-x`, `a OR b`, `name:value`, and parentheses, which cannot nest. OR binds
 * tighter than the space between words, as in Gmail. Anything else counts as a word, so no input causes an error. Takes quadratic time in
 * the number of unclosed parentheses.
 */
export function parseQuery(text: string): Query {
  return allOf(partsOf(text)) ?? { all: [] };
}

/** Parses a query's parts, all of which must match. Joining their texts with spaces produces the query again. */
export function partsOf(text: string): QueryPart[] {
  return new Reader(text).sequence();
}

const space = /\s*/y;
/** Phrase. A backslash escapes a quote within it. */
const phrase = /"((?:\\"|[^"])*)"/y;
const word = /\S+/y;
/** Operator with a quoted value. In the value of `header:`, the quotes may begin after the equals sign. */
const quotedValue = /([A-Za-z][A-Za-z_-]*):([^\s"]*=)?"((?:\\"|[^"])*)"/y;
/** Operator with a value that is not quoted, or whose quote is not closed. */
const operator = /^([A-Za-z][A-Za-z_-]*):"?(.*)$/su;

class Reader {
  readonly #text: string;
  #at = 0;
  /** State of the parser: whether it is in a group, and whether that group has ended. */
  #inGroup = false;
  #closed = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses conditions up to the end of the query or of the group. */
  sequence(): QueryPart[] {
    const parts: QueryPart[] = [];
    let any: Query[] = [];
    let begin = this.#at;
    let joins = false;
    const finish = (end: number) => {
      const text = this.#text.slice(begin, end).trim();
      if (any.length > 0) parts.push({ text, query: one(any, { any }) });
    };
    for (this.#take(space); !this.#isAtEnd(); this.#take(space)) {
      if (any.length > 0 && this.#takeOr()) {
        joins = true;
        continue;
      }
      const at = this.#at;
      const condition = this.#condition();
      if (condition === null) continue;
      if (any.length > 0 && !joins) {
        finish(at);
        any = [];
        begin = at;
      }
      any.push(condition);
      joins = false;
    }
    finish(this.#at);
    return parts;
  }

  #isAtEnd(): boolean {
    return this.#closed || this.#at >= this.#text.length;
  }

  /** Parses an OR followed by a condition. */
  #takeOr(): boolean {
    return this.#take(/OR(?=\s+[^\s)])/y) !== null;
  }

  #condition(): Query | null {
    const negated = this.#take(/-(?=[^\s)])/y) !== null;
    const condition = this.#group() ?? this.#term();
    return condition !== null && negated ? { not: condition } : condition;
  }

  /** Parses a group. An unclosed parenthesis counts as text, and so does an empty pair. */
  #group(): Query | null {
    const begin = this.#at;
    if (this.#inGroup || this.#take(/\(/y) === null) return null;
    this.#inGroup = true;
    const found = allOf(this.sequence());
    const isGroup = this.#closed;
    this.#inGroup = false;
    this.#closed = false;
    if (isGroup && found !== null) return found;
    this.#at = begin;
    return null;
  }

  #term(): Query | null {
    const [, quotedText] = this.#take(phrase) ?? [];
    if (quotedText !== undefined) return textTerm(unescaped(quotedText));
    const [typed = '', name = '', before = '', value = ''] = this.#take(quotedValue) ?? [];
    if (typed !== '')
      return readTerm(name.toLowerCase(), `${before}${unescaped(value)}`) ?? textTerm(withoutQuotes(typed));
    const [plain = ''] = this.#take(word) ?? [];
    const closes = this.#inGroup && plain.endsWith(')') && surplus(plain) > 0;
    this.#closed = closes;
    return wordTerm(closes ? plain.slice(0, -1) : plain);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

/** Returns the number of closing parentheses that have no opening one. */
function surplus(text: string): number {
  return [...text].reduce((sum, character) => sum + (character === ')' ? 1 : character === '(' ? -1 : 0), 0);
}

function wordTerm(typed: string): Query | null {
  const [, name, value] = operator.exec(typed) ?? [];
  const term = name === undefined || value === undefined ? null : readTerm(name.toLowerCase(), value);
  return term ?? textTerm(withoutQuotes(typed));
}

const unescaped = (text: string) => text.replaceAll('\\"', '"');
const withoutQuotes = (text: string) => text.replaceAll('"', '');

/** Returns the term for a word or phrase, or null if it is empty. */
function textTerm(typed: string): Query | null {
  const part = foldText(typed);
  return part === '' ? null : { field: 'text', part, typed };
}

function allOf(parts: QueryPart[]): Query | null {
  const all = parts.map(({ query }) => query);
  return all.length === 0 ? null : one(all, { all });
}

const one = (parts: Query[], several: Query): Query => (parts.length === 1 && parts[0] ? parts[0] : several);
