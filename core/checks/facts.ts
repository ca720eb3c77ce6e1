import type { HtmlText } from '#core/extraction/links.ts';
import type { Authentication, Link } from '#core/messages/content.ts';
import type { FeatureUse } from './client-support.ts';

/** Number of HTML items of one kind, and the line of the first. `line` starts at 1, or is 0 if there are no items. */
export type Places = { count: number; line: number };

/** Kinds of items that findings count. An image of at most 1 × 1 counts only as a pixel, not as another kind of image. */
export const placeKinds = ['noAlt', 'noSize', 'dataImage', 'pixel', 'lowContrast'] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** Facts about an email's HTML, collected in one pass. */
export type HtmlFacts = {
  bytes: number;
  uses: FeatureUse[];
  places: Record<PlaceKind, Places>;
  /** Lowest contrast ratio of text with inline colors, and these colors. Null if no text has inline colors. */
  leastContrast: { ratio: number; colours: string } | null;
  /** True if the `html` element declares a language. */
  hasLang: boolean;
  /** Text of a hidden element that precedes all visible text, or ''. */
  preheader: string;
};

/** Email that the findings describe. `html` is null if the email has no HTML; `seen` is the text that its HTML shows. */
export type CheckedMail = {
  subject: string;
  text: string | null;
  html: HtmlFacts | null;
  seen: HtmlText | null;
  links: Link[];
  headers: { name: string; value: string }[];
  dkim: Authentication['dkim'];
};
