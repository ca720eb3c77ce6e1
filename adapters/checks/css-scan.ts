import { tokenTypes as is, tokenize } from 'css-tree/tokenizer';
import type { FeatureNames } from './feature-names.ts';
import { imageFeatures } from './image-features.ts';
import { LineCounter } from './line-counter.ts';

type Token = { type: number; text: string };

/** Kind of content in a block. */
type Block = 'rules' | 'declarations' | 'frames';

/** Maximum tokens of a selector or declaration. Further tokens are not read. */
const mostTokens = 10_000;
/** Maximum characters of a property's value. Further characters are not read. */
const valueCharacters = 2_000;

const unread = new Set([is.CDO, is.CDC]);
const openers = new Set([is.LeftParenthesis, is.LeftSquareBracket, is.Function]);
const closers = new Set([is.RightParenthesis, is.RightSquareBracket]);
const combinators: Record<string, string> = {
  '>': 'css-selector-child',
  '+': 'css-selector-adjacent-sibling',
  '~': 'css-selector-general-sibling',
};
/** At-rules whose blocks contain declarations. The blocks of all others contain rules. */
const declaring = /^@(font-face|page|property|counter-style)$/;

/** Finds CSS features from tokens alone, because a rule parser overflows its stack on a hundred thousand nested rules. */
export class CssScan {
  readonly #names: FeatureNames;
  readonly #use: (slug: string, line: number) => void;
  #line = 1;

  constructor(names: FeatureNames, use: (slug: string, line: number) => void) {
    this.#names = names;
    this.#use = use;
  }

  /** Reads a style sheet that starts in a line of the HTML. */
  sheet(css: string, line: number): void {
    this.#read(css, line, 'rules', () => {});
  }

  /** Reads a `style` attribute. Returns its property values, without `!important`. */
  attribute(css: string, line: number): Map<string, string> {
    const values = new Map<string, string>();
    this.#read(css, line, 'declarations', (property, value) => values.set(property, value));
    return values;
  }

  #read(css: string, line: number, outer: Block, declared: (property: string, value: string) => void): void {
    const lines = new LineCounter(css, line);
    const blocks: Block[] = [];
    let tokens: Token[] = [];
    let depth = 0;
    const begin = () => {
      tokens = [];
      depth = 0;
    };
    const current = () => blocks.at(-1) ?? outer;
    const statement = () => {
      if (tokens[0]?.type === is.AtKeyword) this.#rule(tokens, tokens[0].text.toLowerCase());
      else if (current() === 'declarations') this.#declaration(tokens, declared);
    };
    tokenize(css, (type, start, end) => {
      if (unread.has(type) || (tokens.length === 0 && type === is.WhiteSpace)) return;
      if (tokens.length === 0) this.#line = lines.at(start);
      if (type === is.Comment) this.#found('css-comments');
      else if (type === is.LeftCurlyBracket) {
        blocks.push(this.#open(tokens, current()));
        begin();
      } else if (type === is.RightCurlyBracket) {
        statement();
        blocks.pop();
        begin();
      } else if (type === is.Semicolon && depth === 0) {
        statement();
        begin();
      } else {
        if (openers.has(type)) depth += 1;
        if (closers.has(type)) depth = Math.max(0, depth - 1);
        if (tokens.length < mostTokens) tokens.push({ type, text: css.slice(start, end) });
      }
    });
    statement();
  }

  #found(name: string): void {
    for (const slug of this.#names.find(name)) this.#use(slug, this.#line);
  }

  /** Reads the tokens before a block. Returns the kind of content in the block. */
  #open(prelude: Token[], outer: Block): Block {
    const [first] = prelude;
    if (first?.type === is.AtKeyword) {
      const name = first.text.toLowerCase();
      this.#rule(prelude, name);
      if (/^@(-\w+-)?keyframes$/.test(name)) return 'frames';
      return declaring.test(name) ? 'declarations' : outer;
    }
    if (outer === 'declarations') this.#found('css-nesting');
    if (outer !== 'frames') this.#selectors(prelude);
    return 'declarations';
  }

  #rule(tokens: Token[], name: string): void {
    this.#found(name);
    if (name !== '@media') return;
    for (const { type, text } of tokens) {
      const feature = text.toLowerCase().replace(/^-webkit-(min-|max-)?|^any-/, '');
      if (type === is.Ident) this.#found(`css-at-media-${feature}`);
    }
  }

  #declaration(tokens: Token[], declared: (property: string, value: string) => void): void {
    const [name, ...rest] = tokens;
    const colon = rest.findIndex(({ type }) => type !== is.WhiteSpace);
    if (name?.type !== is.Ident || rest[colon]?.type !== is.Colon) return;
    const property = name.text.toLowerCase();
    const value = rest.slice(colon + 1);
    if (property.startsWith('--')) this.#found('var()');
    for (const slug of this.#names.findProperty(property)) this.#use(slug, this.#line);
    for (const [at, { type, text }] of value.entries()) {
      const word = text.toLowerCase();
      if (type === is.Function) this.#found(`${word})`);
      else if (type === is.Percentage) this.#found('1%');
      else if (type === is.Dimension) this.#found(`1${word.replace(/^[+-]?[\d.]+(?:e[+-]?\d+)?/, '')}`);
      else if (type === is.Ident && value[at - 1]?.text === '!') this.#found(`!${word}`);
      else if (type === is.Ident) {
        this.#found(word);
        this.#found(`${property}:${word}`);
      } else if (type === is.Url) this.#image(text.slice(4, -1));
      else if (type === is.String && value[at - 1]?.text.toLowerCase() === 'url(')
        this.#image(text.slice(1, -1));
    }
    declared(property, textOf(value));
  }

  #image(url: string): void {
    for (const name of imageFeatures(url)) this.#found(name);
  }

  /** Reads a selector list. Skips the content of brackets. */
  #selectors(tokens: Token[]): void {
    let depth = 0;
    /** Classes and ids of the compound selector, and its parts. */
    let [named, parts] = [0, 0];
    let isApart = false;
    const part = (name: string, isNamed = false) => {
      if (isApart) {
        this.#found('css-selector-descendant');
        [named, parts, isApart] = [0, 0, false];
      }
      parts += 1;
      if (isNamed) named += 1;
      if (isNamed && named === 2) this.#found('css-selector-chaining');
      this.#found(name);
    };
    const end = (name: string) => {
      this.#found(name);
      [named, parts, isApart] = [0, 0, false];
    };
    for (const [at, { type, text }] of tokens.entries()) {
      const before = tokens[at - 1];
      if (depth === 0) {
        const isPseudo = before?.type === is.Colon;
        if (type === is.WhiteSpace) isApart = parts > 0;
        else if (type === is.Comma) end('css-selector-grouping');
        else if (type === is.Delim && combinators[text] !== undefined) end(combinators[text]);
        else if (type === is.Hash) part('css-selector-id', true);
        else if (type === is.Delim && text === '*') part('css-selector-universal');
        else if (type === is.LeftSquareBracket) part('css-selector-attribute');
        else if (isPseudo) part(`:${text.toLowerCase().replace('(', '')}`);
        else if (type === is.Ident) {
          if (before?.text === '.') part('css-selector-class', true);
          else part('css-selector-type');
        }
      }
      if (openers.has(type)) depth += 1;
      if (closers.has(type)) depth = Math.max(0, depth - 1);
    }
  }
}

/** Returns a value's text without a final `!important`, and with each run of white space as one space. */
function textOf(value: Token[]): string {
  const mark = value.findLastIndex(({ type, text }) => type === is.Delim && text === '!');
  const behind = mark < 0 ? [] : value.slice(mark + 1).filter(({ type }) => type !== is.WhiteSpace);
  const isImportant = behind.length === 1 && behind[0]?.text.toLowerCase() === 'important';
  const pieces = isImportant ? value.slice(0, mark) : value;
  const text = pieces.map(({ type, text }) => (type === is.WhiteSpace ? ' ' : text)).join('');
  return text.slice(0, valueCharacters).trim();
}
