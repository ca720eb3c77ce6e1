import { MIMEType } from 'node:util';
import type { BodyScanner } from '#api/middleware/read-body.ts';
import { invalid, Malformed } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { type JsonValue, jsonIn } from './json-value.ts';

/** File in a form. `filename` is '' if the client provided none. */
export type FormFile = { filename: string; contentType: string; bytes: Uint8Array };

/** Form fields in order. A name may occur several times. */
export class Form {
  readonly texts: [string, string][];
  readonly #files: [string, FormFile][];

  constructor(texts: [string, string][], files: [string, FormFile][]) {
    this.texts = texts;
    this.#files = files;
  }

  text(name: string): string | null {
    return this.texts.find(([given]) => given === name)?.[1] ?? null;
  }

  all(name: string): string[] {
    return this.texts.flatMap(([given, text]) => (given === name ? [text] : []));
  }

  /** Parses the first field with this name as JSON. Returns a missing value if there is no such field. Throws Invalid. */
  json(name: string): JsonValue {
    const words = { beyond: 'has too many values or levels', fault: 'is not a valid JSON' };
    return jsonIn(this.text(name) || 'null', name, words);
  }

  files(name: string): FormFile[] {
    return this.#files.flatMap(([given, file]) => (given === name ? [file] : []));
  }
}

/** Reads a form by its content type: `multipart/form-data` or `application/x-www-form-urlencoded`. Throws Malformed and Invalid. */
export async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Form> {
  // The parser gets the type as read here, so both look for the same delimiter.
  const type = typeOf(contentType);
  const boundary = type.params.get('boundary');
  if (boundary !== null) refuseLongHeaders(bytes, boundary);
  let data: FormData;
  try {
    data = await new Response(bytes, { headers: { 'Content-Type': String(type) } }).formData();
  } catch {
    throw new Malformed('The body is not a valid form for its content type');
  }
  const texts: [string, string][] = [];
  const files: [string, FormFile][] = [];
  for (const [name, value] of data) {
    if (typeof value === 'string') texts.push([name, value]);
    else {
      const file = { filename: value.name, contentType: value.type, bytes: await value.bytes() };
      files.push([name, file]);
    }
  }
  return new Form(texts, files);
}

/** Reads a content type. Omits all parameters except the first boundary. Throws Malformed. */
function typeOf(contentType: string): MIMEType {
  try {
    const given = new MIMEType(contentType);
    const type = new MIMEType(given.essence);
    if (given.type !== 'multipart') return type;
    const boundary = given.params.get('boundary');
    if (!boundary) throw new Malformed('A form with this content type requires a boundary');
    if (boundary.length > boundaryCharacters) {
      throw new Malformed(`A boundary may have at most ${boundaryCharacters} characters`);
    }
    type.params.set('boundary', boundary);
    return type;
  } catch (error) {
    if (error instanceof Malformed) throw error;
    throw new Malformed("The body's content type is malformed");
  }
}

/** Maximum characters of a boundary (RFC 2046 section 5.1.1). Searching for a longer boundary may take long. */
const boundaryCharacters = 70;

/** Counts a form's fields by their delimiters while its bytes arrive, so few bytes of a refused form are kept. */
export class FormScanner implements BodyScanner {
  readonly #delimiter: Buffer;
  #fields = 0;
  /** Last received bytes, in which a delimiter may have started. */
  #end = Buffer.alloc(0);

  constructor(contentType: string) {
    const boundary = boundaryOf(contentType);
    this.#delimiter = Buffer.from(boundary === null ? '&' : `--${boundary}`);
  }

  take(bytes: Uint8Array): ReturnType<BodyScanner['take']> {
    const text = Buffer.concat([this.#end, bytes]);
    let counted = 0;
    for (let at = text.indexOf(this.#delimiter); at !== -1; at = text.indexOf(this.#delimiter, counted)) {
      counted = at + this.#delimiter.length;
      this.#fields += 1;
      const most = limits.submissions.formFields;
      if (this.#fields > most) {
        const error = invalid('body', `a form may have at most ${most} fields`);
        return { name: 'submissions.formFields', error };
      }
    }
    this.#end = text.subarray(Math.max(counted, text.length - this.#delimiter.length + 1));
    return null;
  }
}

/** Returns the boundary for reading a form's parts, or null if there is none or the type cannot be read. */
function boundaryOf(contentType: string): string | null {
  try {
    return typeOf(contentType).params.get('boundary');
  } catch {
    return null;
  }
}

/** Refuses a form with a long part header, which takes the parser as long as many fields do. Throws Invalid. */
function refuseLongHeaders(bytes: Uint8Array, boundary: string): void {
  const delimiter = Buffer.from(`--${boundary}`);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    refuseLongHeader(body, at + delimiter.length);
  }
}

function refuseLongHeader(body: Buffer, at: number): void {
  const most = limits.submissions.headerFieldBytes;
  const begun = body.subarray(at, at + most);
  const isPart = begun.length === most && begun.toString('latin1', 0, 2) === '\r\n';
  if (!isPart || begun.includes('\r\n\r\n')) return;
  throw invalid('body', `a part header must be at most ${most} bytes`, 'submissions.headerFieldBytes');
}
