import type { Finding } from '#core/audit/finding.ts';
import { check } from './check.ts';
import type { CheckedMail, HtmlFacts, Places } from './facts.ts';
import { examples, linkFindings } from './link-findings.ts';
import { unsubscribeFindings } from './unsubscribe-findings.ts';

/** Size of the HTML in bytes above which Gmail shows "Message clipped". */
export const clippedFrom = 102 * 1024;
/** Minimum contrast ratio of text (WCAG 2.2, success criterion 1.4.3). */
const leastRatio = 4.5;

/** Checks what readers and spam filters see in an email. IDs are stable, and unique within one check. */
export function checkContent(mail: CheckedMail): Finding[] {
  const { html } = mail;
  return [
    ...(html === null ? [] : htmlFindings(html, mail.seen?.text ?? '')),
    textPart(mail),
    variables(mail),
    ...linkFindings(mail),
    ...unsubscribeFindings(mail),
  ];
}

function htmlFindings(html: HtmlFacts, seenText: string): Finding[] {
  const { bytes, places, leastContrast, uses, hasLang, preheader } = html;
  const { noAlt, noSize, dataImage, pixel, lowContrast } = places;
  const start = seenText.replace(/\s+/g, ' ').slice(0, 90).trim();
  const minimum = `the ${leastRatio}:1 contrast minimum`;
  const least = `${leastContrast?.ratio.toFixed(1)}:1 (${leastContrast?.colours})`;
  return [
    check(
      'clipping',
      'Clipping by Gmail',
      bytes > clippedFrom && 'warning',
      `The HTML is ${bytes} bytes. Make it smaller: Gmail clips HTML over ${clippedFrom} bytes.`,
      `The HTML is ${bytes} bytes; Gmail clips HTML over ${clippedFrom} bytes.`,
    ),
    check(
      'html-lang',
      'Language',
      !hasLang && 'warning',
      'The html element has no lang attribute. Set it: screen readers use it to choose a voice.',
      'The html element has a lang attribute.',
    ),
    check(
      'image-alt',
      'Alt text',
      noAlt.count > 0 && 'warning',
      `${found(noAlt, 'image has no alt text', 'images have no alt text')}. Add a description, or alt="" for decoration.`,
      'Each image has alt text, or alt="" for decoration.',
    ),
    check(
      'image-size',
      'Image sizes',
      noSize.count > 0 && 'info',
      `${found(noSize, 'image has no size', 'images have no size')}. Set width and height to keep the layout while images are blocked.`,
      'Each image has a width and a height.',
    ),
    check(
      'image-data',
      'Images as data: URLs',
      dataImage.count > 0 && 'warning',
      `${found(dataImage, 'image is a data: URL', 'images are data: URLs')}. Attach or link images: Gmail and Outlook do not show data: URLs.`,
      'No image is a data: URL.',
    ),
    check(
      'image-pixel',
      'One-pixel images',
      pixel.count > 0 && 'info',
      `${found(pixel, 'image is a single pixel', 'images are single pixels')}. Filters and readers may suspect tracking.`,
      'No image is a single pixel.',
    ),
    check(
      'contrast',
      'Contrast',
      lowContrast.count > 0 && 'warning',
      `${found(lowContrast, `text fails ${minimum}`, `texts fail ${minimum}`)}. Lowest: ${least}.`,
      `No text with inline colors is below ${leastRatio}:1.`,
    ),
    check(
      'dark-mode',
      'Dark mode',
      !uses.some(({ slug }) => slug.includes('color-scheme')) && 'info',
      'The HTML has no color-scheme, so clients may invert colors. Declare it, with colors for prefers-color-scheme.',
      'The HTML declares color-scheme.',
    ),
    check(
      'preheader',
      'Preheader',
      preheader === '' && 'info',
      `The email has no preheader. Message lists show its first text next to the subject: "${start}".`,
      `Message lists show "${preheader}".`,
    ),
  ];
}

export function isLowContrast(ratio: number): boolean {
  return ratio < leastRatio;
}

function found({ count, line }: Places, one: string, many: string): string {
  return count === 1 ? `1 ${one} (line ${line})` : `${count} ${many} (first in line ${line})`;
}

/** Minimum number of words for a comparison, and the fraction of them that the text part must contain. */
const leastWords = 10;
const leastShare = 0.5;

/** Checks whether the text part contains most of the HTML's words. */
function textPart({ text, html, seen }: CheckedMail): Finding {
  const own = wordsOf(text ?? '');
  const words = [...wordsOf(seen?.text ?? '')];
  const share = words.filter((word) => own.has(word)).length / Math.max(1, words.length);
  const percent = `${Math.round(share * 100)}% of the HTML's words`;
  const isMissing = html !== null && (text ?? '').trim() === '';
  return check(
    'text-part',
    'Text part',
    (isMissing || (words.length >= leastWords && share < leastShare)) && 'warning',
    isMissing
      ? "Add a text/plain part with the HTML's content."
      : `The plain text has only ${percent}. Spam filters compare both.`,
    html === null
      ? 'The email has no HTML to compare the plain text with.'
      : `The plain text has ${percent}.`,
  );
}

/** Returns words of at least three letters. Ignores URLs and email addresses. */
function wordsOf(text: string): Set<string> {
  const words = text
    .toLowerCase()
    .replace(/https?:\/\/\S+/g, ' ')
    .match(/[\p{L}\p{N}]{3,}/gu);
  return new Set(words ?? []);
}

/** Placeholders of template languages: Handlebars and Liquid, Mailchimp, Salesforce and Oracle, JavaScript. */
const placeholder =
  /\{\{[^{}\n]{1,100}\}\}|\{%[^%\n]{1,100}%\}|\*\|[^|\n]{1,100}\|\*|%%[\w.=() -]{1,100}%%|\$\{[^{}\n]{1,100}\}/g;

/** Checks whether templates were filled in: in the subject, both texts and links. */
function variables({ subject, text, seen, links }: CheckedMail): Finding {
  const places = [subject, text ?? '', seen?.text ?? '', ...links.map(({ url }) => readable(url))];
  const open = places.flatMap((place) => place.match(placeholder) ?? []);
  return check(
    'template-variables',
    'Template variables',
    open.length > 0 && 'warning',
    `Fill in these placeholders, which readers see: ${examples(open)}.`,
    'No template placeholders remain.',
  );
}

/** Decodes the URL-encoded characters that placeholders contain. */
function readable(url: string): string {
  return url.replace(/%(7[bcd]|2[45a])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
