import { parseJson } from '#api/middleware/json-object.ts';
import { JsonScanner } from '#api/middleware/json-scanner.ts';
import { invalid, Malformed } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { JsonValue } from './json-value.ts';

/** File of a form. `filename` is '' where the client named none. */
export type FormFile = { filename: string; contentType: string; bytes: Uint8Array };

/** Fields of a form, in their order. A name may occur several times. */
export class Form {
  readonly texts: [string, string][];
  readonly #files: [string, FormFile][];

  constructor(texts: [string, string][], files: [string, FormFile][]) {
    this.texts = texts;
    this.#files = files;
  }

  /** Returns the first text of a name, or null. */
  text(name: string): string | null {
    return this.texts.find(([given]) => given === name)?.[1] ?? null;
  }

  /** Returns all texts of a name. */
  all(name: string): string[] {
    return this.texts.flatMap(([given, text]) => (given === name ? [text] : []));
  }

  /** Returns the first text of a name as the JSON that it is; a missing value where there is none. Throws Invalid. */
  json(name: string): JsonValue {
    const text = this.text(name) || 'null';
    const bytes = Buffer.from(text);
    const { bodyValues } = limits.submissions;
    const beyond = new JsonScanner({ name: 'submissions.bodyValues', most: bodyValues }).take(bytes);
    if (beyond !== null) throw invalid(name, 'has too many values or levels', beyond.name);
    try {
      return new JsonValue(parseJson(bytes), name);
    } catch (error) {
      if (error instanceof Malformed) throw invalid(name, 'is not a valid JSON');
      throw error;
    }
  }

  /** Returns all files of a name. */
  files(name: string): FormFile[] {
    return this.#files.flatMap(([given, file]) => (given === name ? [file] : []));
  }
}

/** Reads a form by its content type: `multipart/form-data` or `application/x-www-form-urlencoded`. Throws Malformed and Invalid. */
export async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Form> {
  refuseTooMany(bytes, contentType);
  let data: FormData;
  try {
    data = await new Response(bytes, { headers: { 'Content-Type': contentType } }).formData();
  } catch {
    throw new Malformed('The body is not a form of its content type');
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

/** Counts the delimiters of a form before anything is made of it. Throws Invalid. */
function refuseTooMany(bytes: Uint8Array, contentType: string): void {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const delimiter = Buffer.from(/^multipart\//i.test(contentType) ? `--${quoted ?? plain}` : '&');
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    count += 1;
    if (count > limits.submissions.formFields) {
      const message = `a form may have at most ${limits.submissions.formFields} fields`;
      throw invalid('body', message, 'submissions.formFields');
    }
  }
}
