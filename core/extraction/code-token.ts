/**
 * Reading of a word as a code: digits; digits that may be a date; capitals and digits; letters of any case and digits;
 * letters alone.
 */
export type Shape = 'digits' | 'date' | 'mixed' | 'anyCase' | 'letters';

/**
 * A word of a line with its place. `value` is the code as a user would type it. `kinds` are its meanings, bits of `kind`.
 * `breaks` tells that a sentence begins with the word, `colon` that a colon or an arrow stands before it, `apart` that any
 * other sign does.
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
 * Word that announces a code. `strong` names a one-time code or what it is for. `weak` is a password, which may be an
 * ordinary one. `unsure` is a label of an unknown thing.
 */
export type Announcement = { at: number; strength: 'strong' | 'plain' | 'weak' | 'unsure' };

/** Line of a text, with its words. */
export type LineOfWords = {
  readonly text: string;
  readonly tokens: Token[];
  readonly announcements: Announcement[];
  announcement(at: number): Announcement | undefined;
};
