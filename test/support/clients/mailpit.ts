import { buffer } from 'node:stream/consumers';
import type { Program } from '#test/support/program/program.ts';
import { HttpClient, type Json } from './http.ts';

/** Response of a Mailpit path that the OpenAPI document does not contain. `json` is null if the body is text. */
export type MailpitAnswer = {
  status: number;
  type: string;
  text: string;
  headers: NodeJS.Dict<string | string[]>;
  json: Json;
};

export type Ask = (
  method: string,
  path: string,
  options?: { json?: unknown; body?: string; headers?: Record<string, string> },
) => Promise<MailpitAnswer>;

/** Creates a client for Mailpit's paths, with these header fields. */
export function mailpitClient(
  program: Pick<Program, 'baseUrl' | 'httpPort'>,
  headers: Record<string, string> = {},
): Ask {
  const client = new HttpClient(program);
  return async (method, path, options = {}) => {
    const response = await client.open(method, path, {
      ...options,
      headers: { ...headers, ...options.headers },
    });
    const text = (await buffer(response)).toString();
    const type = response.headers['content-type'] ?? '';
    const json = type.startsWith('application/json') ? JSON.parse(text) : null;
    return { status: response.statusCode ?? 0, type, text, headers: response.headers, json };
  };
}

/** Message names in paths that are not IDs. */
export const hostileIds = [
  ...['%3Cscript%3E', '..%2F..%2Fetc', '0', '-1', '1e3', '9007199254740993', '%00', "1'--", '__proto__'],
  'a'.repeat(4000),
];
