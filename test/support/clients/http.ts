import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Program } from '#test/support/program/program.ts';
import { Contract } from './openapi.ts';

export type Headers = Record<string, string>;

/** Response, read to its end. `json` is null if the body is not JSON. */
export type Answer<T = Json> = {
  status: number;
  headers: Record<string, string | undefined>;
  body: Buffer;
  json: T;
};

/** JSON body of any shape, for tests that inspect it by hand. */
// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document has checked it; tests look into it freely
export type Json = any;

export type Options = { headers?: Headers; json?: unknown; body?: string | Buffer };

/** Client of the program's API. Sends paths unchanged, and checks each response against the program's OpenAPI document. */
export class HttpClient {
  readonly #program: Pick<Program, 'baseUrl' | 'httpPort'>;
  readonly #headers: Headers;

  /** Accepts header fields to send with each request: `{ 'x-api-key': … }` or `{ cookie: … }`. */
  constructor(program: Pick<Program, 'baseUrl' | 'httpPort'>, headers: Headers = {}) {
    this.#program = program;
    this.#headers = headers;
  }

  get(path: string, options: Options = {}): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, json?: unknown, options: Options = {}): Promise<Answer> {
    return this.call('POST', path, json === undefined ? options : { json, ...options });
  }

  patch(path: string, json: unknown): Promise<Answer> {
    return this.call('PATCH', path, { json });
  }

  put(path: string, json: unknown): Promise<Answer> {
    return this.call('PUT', path, { json });
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path);
  }

  async call(method: string, path: string, options: Options = {}): Promise<Answer> {
    const response = await this.open(method, path, options);
    const body = await buffer(response);
    const headers = flat(response.headers);
    const status = response.statusCode ?? 0;
    const plain = headers['content-encoding'] === undefined;
    const contract = await Contract.of(this.#program);
    if (plain) contract.check(method, path, { status, headers, body });
    const isJson = plain && body.length > 0 && /\bjson\b/.test(headers['content-type'] ?? '');
    return { status, headers, body, json: isJson ? JSON.parse(body.toString()) : null };
  }

  /** Returns the response as it arrives, for streams. The caller reads or destroys its body. */
  open(method: string, path: string, { headers = {}, json, body }: Options = {}): Promise<IncomingMessage> {
    const payload = json === undefined ? body : JSON.stringify(json);
    const type: Headers = json === undefined ? {} : { 'content-type': 'application/json' };
    const length: Headers =
      payload === undefined ? {} : { 'content-length': `${Buffer.byteLength(payload)}` };
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port: this.#program.httpPort,
        method,
        path,
        headers: { ...type, ...length, ...this.#headers, ...headers },
      });
      outgoing.on('response', resolve).on('error', reject);
      outgoing.end(payload);
    });
  }
}

function flat(headers: IncomingMessage['headers']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join('\n') : value]),
  );
}
