import { type Finding, finding } from '#core/audit/finding.ts';
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

/** `fault`: id, title and detail where there is something to find. `sound`: title and detail where there is nothing. */
function found(
  isFound: boolean,
  severity: Finding['severity'],
  [id, ...fault]: [string, string, string],
  sound: [string, string],
): Finding {
  return isFound ? finding(severity, id, ...fault) : finding('passed', id, ...sound);
}

function htmlFindings(html: HtmlFacts, seenText: string): Finding[] {
  const { bytes, places, leastContrast, uses, hasLang, preheader } = html;
  const isDark = uses.some(({ slug }) => /color-scheme/.test(slug));
  const start = seenText.replace(/\s+/g, ' ').slice(0, 90).trim();
  const size = `The HTML has ${bytes} bytes`;
  return [
    found(
      bytes > clippedFrom,
      'warning',
      ['clipping', 'Clipped by Gmail', `Make the HTML smaller than ${clippedFrom} bytes: it has ${bytes}.`],
      ['Not clipped', `${size}; Gmail clips from ${clippedFrom}.`],
    ),
    found(
      !hasLang,
      'warning',
      ['html-lang', 'No language', 'Set lang on the html element: screen readers choose their voice by it.'],
      ['Language', 'The html element has a lang.'],
    ),
    found(
      places.noAlt.count > 0,
      'warning',
      [
        'image-alt',
        'Images without alt',
        `Describe images for who does not see them, or give alt="": ${told(places.noAlt)}.`,
      ],
      ['Alternative texts', 'Each image has an alt.'],
    ),
    found(
      places.noSize.count > 0,
      'info',
      [
        'image-size',
        'Images without size',
        `Give width and height, so that the layout stays while images are blocked: ${told(places.noSize)}.`,
      ],
      ['Sizes of images', 'Each image has a width and a height.'],
    ),
    found(
      places.dataImage.count > 0,
      'warning',
      [
        'image-data',
        'Images in data: URLs',
        `Attach or link images: Gmail and Outlook do not show them: ${told(places.dataImage)}.`,
      ],
      ['Sources of images', 'No image is in a data: URL.'],
    ),
    found(
      places.pixel.count > 0,
      'info',
      [
        'image-pixel',
        'Images of one pixel',
        `Filters and readers take them for trackers: ${told(places.pixel)}.`,
      ],
      ['No pixels', 'No image is of one pixel.'],
    ),
    found(
      places.lowContrast.count > 0,
      'warning',
      [
        'contrast',
        'Low contrast',
        `Inline colours have less than ${leastRatio}:1: ${told(places.lowContrast)}; least ${leastContrast?.ratio.toFixed(1)}:1 (${leastContrast?.colours}).`,
      ],
      ['Contrast', `No text has inline colours of less than ${leastRatio}:1.`],
    ),
    found(
      !isDark,
      'info',
      [
        'dark-mode',
        'No dark mode',
        'Declare color-scheme, and colours for prefers-color-scheme: clients invert colours by themselves otherwise.',
      ],
      ['Dark mode', 'The HTML declares colour schemes.'],
    ),
    found(
      preheader === '',
      'info',
      ['preheader', 'No preheader', `Lists show the first text beside the subject: "${start}".`],
      ['Preheader', `Lists show "${preheader}".`],
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
  const id = 'text-part';
  if (html === null) return finding('passed', id, 'Text', 'There is no HTML to compare with.');
  if (text === null || text.trim() === '')
    return finding('warning', id, 'No text part', 'Add a text/plain part that says what the HTML says.');
  const own = wordsOf(text);
  const words = [...wordsOf(seen?.text ?? '')];
  const share = words.filter((word) => own.has(word)).length / Math.max(1, words.length);
  const percent = `${Math.round(share * 100)} % of the words of the HTML`;
  return found(
    words.length >= leastWords && share < leastShare,
    'warning',
    [id, 'Text part unlike the HTML', `Filters compare the two: the text has ${percent}.`],
    ['Text part', `It has ${percent}.`],
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
  return found(
    open.length > 0,
    'warning',
    ['template-variables', 'Variables not filled in', `Readers see ${examples(open)}.`],
    ['Variables', 'No placeholder of a template is left.'],
  );
}

/** Undoes the escapes of the characters that placeholders have. */
function readable(url: string): string {
  return url.replace(/%(7[bcd]|2[45a])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
