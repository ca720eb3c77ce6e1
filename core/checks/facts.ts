import type { HtmlText } from '#core/extraction/links.ts';
import type { Authentication, Link } from '#core/messages/content.ts';
import type { FeatureUse } from './client-support.ts';

/** Things of one kind in the HTML. `line`: that of the first, from 1; 0 for none. */
export type Places = { count: number; line: number };

/** Kinds of things that findings count. A pixel is an image of at most 1 × 1; it counts as no other image. */
export const placeKinds = ['noAlt', 'noSize', 'dataImage', 'pixel', 'lowContrast'] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** Facts about the HTML of a mail, read in one pass. */
export type HtmlFacts = {
  bytes: number;
  uses: FeatureUse[];
  places: Record<PlaceKind, Places>;
  /** Least contrast ratio of text with inline colours, and these colours; null where there is none. */
  leastContrast: { ratio: number; colours: string } | null;
  /** Presence of a language on the `html` element. */
  hasLang: boolean;
  /** Text in a hidden element before all visible text, '' for none. */
  preheader: string;
};

/** Mail of which the findings are made. `html` is null for a mail without HTML; `seen` is what its HTML shows. */
export type CheckedMail = {
  subject: string;
  text: string | null;
  html: HtmlFacts | null;
  seen: HtmlText | null;
  links: Link[];
  headers: { name: string; value: string }[];
  dkim: Authentication['dkim'];
};
