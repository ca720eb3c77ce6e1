/** Tokenizer of css-tree. The package has no types. */
declare module 'css-tree/tokenizer' {
  /** Tokens, named as in css-syntax-3 section 4. */
  export const tokenTypes: Record<
    | 'Ident'
    | 'Function'
    | 'AtKeyword'
    | 'Hash'
    | 'Url'
    | 'Delim'
    | 'Number'
    | 'Percentage'
    | 'Dimension'
    | 'WhiteSpace'
    | 'Colon'
    | 'Semicolon'
    | 'Comma'
    | 'LeftSquareBracket'
    | 'RightSquareBracket'
    | 'LeftParenthesis'
    | 'RightParenthesis'
    | 'LeftCurlyBracket'
    | 'RightCurlyBracket'
    | 'CDO'
    | 'CDC'
    | 'Comment'
    | 'String',
    number
  >;
  export function tokenize(source: string, onToken: (type: number, start: number, end: number) => void): void;
}
