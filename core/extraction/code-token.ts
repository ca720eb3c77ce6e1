/**
 * Form of a word that may be a code: digits; digits that may be a date; capitals and digits; letters of either case and digits; only
 * letters.
 */
export type Shape = 'digits' | 'date' | 'mixed' | 'anyCase' | 'letters';

/**
 * Word of a line with its position. `value` is the code as a user would type it. `kinds` are the word's meanings as bits of `kind`.
 * `breaks`: a sentence begins with the word. `colon`: a colon or an arrow precedes the word. `apart`: any other sign precedes it.
 */
export type Token = {
  word: string;
  value: string;
  shape: Shape | null;
  kinds: number;
  start: number;
  end: number;
  breaks: boolean;
  colon: boolean;
  apart: boolean;
};

/**
 * Word that announces a code. `strong` names a one-time code or its purpose. `weak` is a password, possibly an ordinary one. `unsure` is
 * the label of an unknown thing.
 */
export type Announcement = { at: number; strength: 'strong' | 'plain' | 'weak' | 'unsure' };

export type LineOfWords = {
  readonly text: string;
  readonly tokens: Token[];
  readonly announcements: Announcement[];
  announcement(at: number): Announcement | undefined;
};
