import type { HtmlText } from '#core/extraction/links.ts';
import type { Authentication, Link } from '#core/messages/content.ts';
import type { FeatureUse } from './client-support.ts';

/** HTML items of one kind. `line`: the first item's line, from 1; 0 for none. */
export type Places = { count: number; line: number };

/** Kinds of items that findings count. A pixel is an image of at most 1 × 1; it does not count as another image. */
export const placeKinds = ['noAlt', 'noSize', 'dataImage', 'pixel', 'lowContrast'] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** Facts about an email's HTML, read in one pass. */
export type HtmlFacts = {
  bytes: number;
  uses: FeatureUse[];
  places: Record<PlaceKind, Places>;
  /** Lowest contrast ratio of text with inline colors, and these colors; null without such text. */
  leastContrast: { ratio: number; colours: string } | null;
  /** Whether the `html` element has a language. */
  hasLang: boolean;
  /** Text in a hidden element before all visible text, or ''. */
  preheader: string;
};

/** Email that the findings describe. `html` is null for an email without HTML; `seen` is what its HTML shows. */
export type CheckedMail = {
  subject: string;
  text: string | null;
  html: HtmlFacts | null;
  seen: HtmlText | null;
  links: Link[];
  headers: { name: string; value: string }[];
  dkim: Authentication['dkim'];
};
