/** What a reader of a HTML body sees: its text, a block a line, and its links with theirs. */
export type HtmlText = { text: string; anchors: { href: string; text: string }[] };

const MAX_HTML = 1_048_576;
const MAX_ANCHORS = 1000;
const MAX_TAG = 16_384;

const BREAKS = new Set(
  'address article aside blockquote br center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const UNSEEN = new Set(['script', 'style', 'template', 'title', 'textarea']);

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['bull', '•'],
  ['copy', '©'],
  ['euro', '€'],
  ['gt', '>'],
  ['hellip', '…'],
  ['laquo', '«'],
  ['ldquo', '“'],
  ['lsquo', '‘'],
  ['lt', '<'],
  ['mdash', '—'],
  ['middot', '·'],
  ['nbsp', ' '],
  ['ndash', '–'],
  ['pound', '£'],
  ['quot', '"'],
  ['raquo', '»'],
  ['rdquo', '”'],
  ['reg', '®'],
  ['rsquo', '’'],
  ['shy', ''],
  ['trade', '™'],
  ['zwj', ''],
  ['zwnj', ''],
]);

/** Reads the first 1 MiB of a HTML text, in one pass; nothing is fetched, run or rendered. */
export function readHtml(html: string): HtmlText {
  const source = html.slice(0, MAX_HTML);
  const pieces: string[] = [];
  const anchors: HtmlText['anchors'] = [];
  let anchor: { href: string; from: number } | null = null;
  const closeAnchor = (): void => {
    if (anchor === null) return;
    anchors.push({ href: anchor.href, text: tidy(pieces.slice(anchor.from).join('')).replaceAll('\n', ' ') });
    anchor = null;
  };
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('<', at);
    const textEnd = open < 0 ? source.length : open;
    if (textEnd > at) pieces.push(decodeEntities(source.slice(at, textEnd).replace(/\s+/g, ' ')));
    if (open < 0) break;
    if (!/[a-z/!?]/i.test(source.charAt(open + 1))) {
      pieces.push('<');
      at = open + 1;
      continue;
    }
    const end = tagEnd(source, open);
    if (end < 0) break;
    at = end;
    const tag = source.slice(open + 1, Math.min(end - 1, open + MAX_TAG));
    const name = /^\/?[a-z][a-z0-9]*/i.exec(tag)?.[0].toLowerCase() ?? '';
    if (UNSEEN.has(name)) at = afterElement(source, name, end);
    else if (BREAKS.has(name.replace('/', ''))) pieces.push('\n');
    else if (name === 'td' || name === 'th') pieces.push(' ');
    else if (name === 'img') pieces.push(attribute(tag, 'alt') ?? '');
    else if (name === 'a' || name === '/a') {
      closeAnchor();
      const href = name === 'a' && anchors.length < MAX_ANCHORS ? attribute(tag, 'href') : null;
      if (href !== null) anchor = { href: href.replace(/[\t\r\n]+/g, '').trim(), from: pieces.length };
    }
  }
  closeAnchor();
  return { text: tidy(pieces.join('')), anchors };
}

/** Blanks folded, no line begins or ends with one, at most one empty line in a row. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/(?:\s|\u200b|\u034f|\ufeff)+/gu, ' ').trim());
  return lines
    .filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''))
    .join('\n')
    .trim();
}

/** Behind the tag that opens at `open`; a `>` in quotes does not end it. -1 where it never ends. */
function tagEnd(source: string, open: number): number {
  if (source.startsWith('<!--', open)) {
    const end = source.indexOf('-->', open + 4);
    return end < 0 ? -1 : end + 3;
  }
  let quote = '';
  for (let at = open + 1; at < source.length; at++) {
    const character = source[at];
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at + 1;
    // A quote opens a value only behind an equals sign: an apostrophe elsewhere hides nothing.
    else if ((character === '"' || character === "'") && source[at - 1] === '=') quote = character;
  }
  return -1;
}

/** Behind the end tag of an element whose content nobody sees. */
function afterElement(source: string, name: string, from: number): number {
  const pattern = new RegExp(`</${name}[\\s>/]`, 'gi');
  pattern.lastIndex = from;
  const found = pattern.exec(source);
  if (found === null) return source.length;
  const end = source.indexOf('>', found.index);
  return end < 0 ? source.length : end + 1;
}

function attribute(tag: string, name: string): string | null {
  for (const [, key, double, single, bare] of tag.matchAll(
    /\s([^\s=>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/g,
  )) {
    if (key?.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? '');
  }
  return null;
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,8}));?/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return ENTITIES.get(name) ?? whole;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
