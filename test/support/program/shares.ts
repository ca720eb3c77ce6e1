import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { HttpClient } from '#test/support/clients/http.ts';
import type { Program } from './program.ts';
import { newClient, ok } from './user.ts';

type Seen = { status: number; headers: Record<string, string>; body: string };

/** Sends a path unchanged, without a credential, as a separate client. */
export async function openLink(
  program: Pick<Program, 'httpPort'>,
  path: string,
  { accept = 'text/html', method = 'GET', from = newClient() } = {},
): Promise<Seen> {
  const headers = { accept, 'x-forwarded-for': from };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ port: program.httpPort, path, method, headers }, resolve);
    sent.on('error', reject);
    sent.end();
  });
  const body = (await buffer(response)).toString();
  return { status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body };
}

export const pathOf = ({ url }: { url: string }) => new URL(url).pathname;

/** Creates a share link, and adds its path. */
export async function share(api: HttpClient, body: object) {
  const made = await ok(api.post('/api/shares', body));
  return { ...made, path: pathOf(made) };
}
