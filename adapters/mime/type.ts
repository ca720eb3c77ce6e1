import libmime from 'libmime';
import type { TransferEncoding } from '#core/messages/content.ts';
import type { HeaderField } from './header.ts';

/** MIME fields of a part (RFC 2045, RFC 2183). */
export type MimeType = {
  /** Type in lower case. A missing or ill-formed field means the default of the parent, mostly `text/plain`. */
  contentType: string;
  charset: string | null;
  /** Format and DelSp of RFC 3676. */
  flowed: boolean;
  delSp: boolean;
  boundary: string | null;
  encoding: TransferEncoding;
  disposition: 'attachment' | 'inline' | null;
  filename: string | null;
  contentId: string | null;
};

const maxValue = 16_384;
const maxName = 255;
const plainType = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/** Reads the MIME fields of one part, the first of each name. */
export function readMimeType(fields: HeaderField[], defaultType: string): MimeType {
  let type: string | undefined;
  let disposition: string | undefined;
  let encoding: string | undefined;
  let contentId: string | undefined;
  for (const { name, value } of fields) {
    // Comparing lengths first skips most other fields at little cost.
    if (name.length !== 12 && name.length !== 19 && name.length !== 25 && name.length !== 10) continue;
    const key = name.toLowerCase();
    if (key === 'content-type') type ??= value.slice(0, maxValue);
    else if (key === 'content-disposition') disposition ??= value.slice(0, maxValue);
    else if (key === 'content-transfer-encoding') encoding ??= value.slice(0, maxValue);
    else if (key === 'content-id') contentId ??= value.slice(0, maxName);
  }
  const typed = parse(type);
  const placed = parse(disposition);
  const contentType = typed.value.toLowerCase();
  return {
    contentType: plainType.test(contentType) ? contentType : defaultType,
    charset: typed.params.get('charset') ?? null,
    flowed: typed.params.get('format')?.toLowerCase() === 'flowed',
    delSp: typed.params.get('delsp')?.toLowerCase() === 'yes',
    boundary: typed.params.get('boundary') || null,
    encoding: transferEncoding(encoding),
    disposition: dispositionOf(placed.value),
    filename: cleanName(placed.params.get('filename') ?? typed.params.get('name')),
    contentId: contentId === undefined ? null : contentId.replace(/^\s*<|>\s*$/g, '').trim() || null,
  };
}

type Parsed = { value: string; params: Map<string, string> };

function parse(value: string | undefined): Parsed {
  if (value === undefined || !/[;"(\\]/.test(value))
    return { value: (value ?? '').trim(), params: new Map() };
  const parsed = libmime.parseHeaderValue(value, { stripComments: true });
  const decoded = new Set(parsed.decodedParams);
  const params = Object.entries(parsed.params).map(([key, text]): [string, string] => [
    key,
    decoded.has(key) || !text.includes('=?') ? text : libmime.decodeWords(text),
  ]);
  return { value: parsed.value.trim(), params: new Map(params) };
}

function transferEncoding(value: string | undefined): TransferEncoding {
  const word = (value ?? '')
    .replace(/\([^()]*\)/g, '')
    .trim()
    .toLowerCase();
  return word === 'base64' || word === 'quoted-printable' ? word : 'identity';
}

/** Reads a disposition; an unknown one is an attachment (RFC 2183 section 2.8). */
function dispositionOf(value: string): MimeType['disposition'] {
  if (value === '') return null;
  return value.toLowerCase() === 'inline' ? 'inline' : 'attachment';
}

function cleanName(name: string | undefined): string | null {
  const clean = (name ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  return (
    Array.from(clean.slice(0, 2 * maxName))
      .slice(0, maxName)
      .join('') || null
  );
}
