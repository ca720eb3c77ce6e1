import type { Finding } from '#core/audit/finding.ts';
import { check } from './check.ts';
import type { CheckedMail, HtmlFacts, Places } from './facts.ts';
import { examples, linkFindings } from './link-findings.ts';
import { unsubscribeFindings } from './unsubscribe-findings.ts';

/** Bytes of HTML from which Gmail shows "Message clipped". */
export const clippedFrom = 102 * 1024;
/** Least contrast ratio of text (WCAG 2.2, success criterion 1.4.3). */
const leastRatio = 4.5;

/** Checks what readers and filters see of a mail. Ids are stable, and unique within one check. */
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
  const least = `${leastContrast?.ratio.toFixed(1)}:1 (${leastContrast?.colours})`;
  return [
    check(
      'clipping',
      'Clipping by Gmail',
      bytes > clippedFrom && 'warning',
      `Make the HTML smaller than ${clippedFrom} bytes: it has ${bytes}.`,
      `The HTML has ${bytes} bytes; Gmail clips from ${clippedFrom}.`,
    ),
    check(
      'html-lang',
      'Language',
      !hasLang && 'warning',
      'Set lang on the html element: screen readers choose their voice by it.',
      'The html element has a lang.',
    ),
    check(
      'image-alt',
      'Texts of images',
      noAlt.count > 0 && 'warning',
      `Describe images for who does not see them, or give alt="": ${told(noAlt)}.`,
      'Each image has an alt.',
    ),
    check(
      'image-size',
      'Sizes of images',
      noSize.count > 0 && 'info',
      `Give width and height, so that the layout stays while images are blocked: ${told(noSize)}.`,
      'Each image has a width and a height.',
    ),
    check(
      'image-data',
      'Images in data: URLs',
      dataImage.count > 0 && 'warning',
      `Attach or link images, since Gmail and Outlook do not show these: ${told(dataImage)}.`,
      'No image is in a data: URL.',
    ),
    check(
      'image-pixel',
      'Images of one pixel',
      pixel.count > 0 && 'info',
      `Filters and readers take them for trackers: ${told(pixel)}.`,
      'No image is of one pixel.',
    ),
    check(
      'contrast',
      'Contrast of inline colours',
      lowContrast.count > 0 && 'warning',
      `Choose colours of at least ${leastRatio}:1: ${told(lowContrast)} have less, the least ${least}.`,
      `No text has inline colours of less than ${leastRatio}:1.`,
    ),
    check(
      'dark-mode',
      'Dark mode',
      !uses.some(({ slug }) => slug.includes('color-scheme')) && 'info',
      'Declare color-scheme, and colours for prefers-color-scheme: clients invert colours by themselves otherwise.',
      'The HTML declares colour schemes.',
    ),
    check(
      'preheader',
      'Preheader',
      preheader === '' && 'info',
      `There is none: lists show the first text beside the subject, "${start}".`,
      `Lists show "${preheader}".`,
    ),
  ];
}

export function isLowContrast(ratio: number): boolean {
  return ratio < leastRatio;
}

function told({ count, line }: Places): string {
  return count === 1 ? `1 in line ${line}` : `${count}, the first in line ${line}`;
}

/** Words that a comparison needs, and the share of them that the text part must have. */
const leastWords = 10;
const leastShare = 0.5;

/** Checks that the text part has most of the words of the HTML. */
function textPart({ text, html, seen }: CheckedMail): Finding {
  const own = wordsOf(text ?? '');
  const words = [...wordsOf(seen?.text ?? '')];
  const share = words.filter((word) => own.has(word)).length / Math.max(1, words.length);
  const percent = `${Math.round(share * 100)} % of the words of the HTML`;
  const isMissing = html !== null && (text ?? '').trim() === '';
  return check(
    'text-part',
    'Text part',
    (isMissing || (words.length >= leastWords && share < leastShare)) && 'warning',
    isMissing
      ? 'Add a text/plain part that says what the HTML says.'
      : `Say the same in both, since filters compare them: the text has ${percent}.`,
    html === null ? 'There is no HTML to compare with.' : `It has ${percent}.`,
  );
}

/** Words of three letters and more, without addresses. */
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

/** Checks that templates were filled in: in the subject, in both texts and in links. */
function variables({ subject, text, seen, links }: CheckedMail): Finding {
  const places = [subject, text ?? '', seen?.text ?? '', ...links.map(({ url }) => readable(url))];
  const open = places.flatMap((place) => place.match(placeholder) ?? []);
  return check(
    'template-variables',
    'Template variables',
    open.length > 0 && 'warning',
    `Fill them in: readers see ${examples(open)}.`,
    'No placeholder of a template is left.',
  );
}

/** Undoes the escapes of the characters that placeholders have. */
function readable(url: string): string {
  return url.replace(/%(7[bcd]|2[45a])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
