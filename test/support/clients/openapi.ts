import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Program } from '#test/support/program/program.ts';

export type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<
    string,
    {
      headers?: Record<string, { $ref: string }>;
      content?: Record<string, { schema: Record<string, unknown> }>;
    }
  >;
  security?: unknown[];
  tags?: string[];
};

export type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; headers: Record<string, { required?: boolean }> };
};

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };

/** OpenAPI document of the program, and the check of a response against it. */
export class Contract {
  readonly document: Document;
  readonly #ajv = new Ajv({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.document = document;
    // ajv-formats types its default export as the module itself.
    (addFormats as unknown as (ajv: Ajv) => void)(this.#ajv);
    this.#ajv.addSchema({ $id: 'api', ...document });
  }

  static of({ baseUrl }: Pick<Program, 'baseUrl'>): Promise<Contract> {
    const source = written ?? baseUrl;
    const known = contracts.get(source);
    if (known !== undefined) return known;
    const contract = readDocument(baseUrl).then((document) => new Contract(document));
    contracts.set(source, contract);
    return contract;
  }

  /** Returns the operation that a request reaches, or null if the document has none. */
  find(method: string, url: string): { path: string; operation: Operation } | null {
    const asked = (url.split('?')[0] ?? '').split('/');
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    for (const [path, operations] of Object.entries(this.document.paths)) {
      const parts = path.split('/');
      const fits = parts.every(
        (part, at) => part === asked[at] || (/^\{.*\}$/.test(part) && asked[at] !== ''),
      );
      const operation = operations[verb];
      if (fits && parts.length === asked.length && operation) return { path, operation };
    }
    return null;
  }

  /** Throws if the status, a header field, the content type or the body does not match the document. */
  check(method: string, url: string, answer: Answer): void {
    const found = this.find(method, url);
    if (found === null) {
      const refusals = [400, 404, 405, 429];
      assert.ok(isPage(url) || refusals.includes(answer.status), `${method} ${url} is undocumented`);
      return;
    }
    const what = `${method} ${url} -> ${answer.status}`;
    if (answer.status === 304) return;
    const response = found.operation.responses[answer.status];
    assert.ok(response, `${what} is not in the OpenAPI document: ${answer.body.subarray(0, 500)}`);
    for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
      const header = this.document.components.headers[$ref.split('/').at(-1) ?? ''];
      if (header?.required) assert.ok(answer.headers[name.toLowerCase()], `${what} has no ${name}`);
    }
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    const contents = response.content ?? {};
    const content = contents[type] ?? contents['*/*'];
    if (Object.keys(contents).length === 0) {
      assert.equal(answer.body.length, 0, `${what} has a body`);
      return;
    }
    assert.ok(content, `${what} has type ${type}, not ${Object.keys(contents)}`);
    if (method === 'HEAD' || !type.endsWith('json')) return;
    const pointer = [
      'paths',
      found.path,
      this.#verb(method),
      'responses',
      answer.status,
      'content',
      type,
      'schema',
    ];
    const validate = this.#validator(pointer.map((part) => escapePointer(String(part))).join('/'));
    const value: unknown = JSON.parse(answer.body.toString());
    assert.ok(
      validate(value),
      `${what}: ${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`,
    );
  }

  #verb(method: string): string {
    return method === 'HEAD' ? 'get' : method.toLowerCase();
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer);
    if (known) return known;
    const validate = this.#ajv.compile({ $ref: `api#/${pointer}` });
    this.#validators.set(pointer, validate);
    return validate;
  }
}

/** True if a URL is the page or the API reference, which are for people and are not operations. */
function isPage(url: string): boolean {
  return !url.startsWith('/api/') || /^\/api\/docs(?![^/?])/.test(url);
}

const contracts = new Map<string, Promise<Contract>>();

/** File with this version's document: a program takes 0.5 s of processor time to build it. `test/run.ts` writes it. */
const written = process.env.SANDPOST_TEST_OPENAPI;

async function readDocument(baseUrl: string): Promise<Document> {
  return JSON.parse(
    written === undefined
      ? await (await fetch(`${baseUrl}/api/openapi.json`)).text()
      : await readFile(written, 'utf8'),
  );
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
