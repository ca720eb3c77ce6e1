import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { programVersion } from '#telemetry/program-version.ts';

/** Error of a link, as a sentence for the person who sent the link. */
export class LinkFault extends Error {
  override name = 'LinkFault';
}

/** Head of an answer. `location` is the value of the Location header, or null. */
export type Head = { status: number; location: string | null };

/** Maximum bytes read of an answer's head. */
const maxHeaderSize = 16_384;

/** Maximum interim answers (RFC 9110 section 15.2) read before the answer. */
const maxInterim = 10;

/**
 * Requests a URL from this address only, on a separate connection, and reads the head of the answer. Sends neither cookies nor a user
 * name. Throws connection errors, a LinkFault for an invalid answer, and the signal's reason.
 */
export async function requestHead(
  url: URL,
  address: string,
  method: 'HEAD' | 'GET',
  signal: AbortSignal,
): Promise<Head> {
  signal.throwIfAborted();
  const isTls = url.protocol === 'https:';
  const host = hostOf(url);
  const options: RequestOptions & { servername?: string } = {
    host: address,
    port: portOf(url),
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      Host: url.host,
      'User-Agent': `Sandpost/${programVersion} (link check)`,
      Accept: '*/*',
      Connection: 'close',
    },
    // Name that the certificate must contain. An address is not a server name (RFC 6066 section 3).
    ...(isTls && isIP(host) === 0 ? { servername: host } : {}),
    agent: false,
    maxHeaderSize,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = (isTls ? requestHttps : requestHttp)(options);
    const read = (response: IncomingMessage): void => {
      // The body is not read.
      response.on('error', () => {});
      outgoing.destroy();
      const { statusCode: status = 0, headers } = response;
      if (status < 200) reject(new LinkFault('The response is not HTTP'));
      else resolve({ status, location: headers.location ?? null });
    };
    let interim = 0;
    outgoing.on('response', read);
    // Without a listener, Node closes the connection after a 101 and reports no error.
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      read(response);
    });
    outgoing.on('information', () => {
      interim += 1;
      if (interim > maxInterim) outgoing.destroy(new LinkFault('The response header is too long'));
    });
    outgoing.on('error', reject);
    outgoing.on('close', () => reject(new LinkFault('Its host closed the connection')));
    outgoing.end();
  });
}

/** Returns a URL's host name or address, without IPv6 brackets or a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

const sentences: Record<string, string> = {
  ECONNREFUSED: 'Its host refuses connections',
  ECONNRESET: 'Its host closed the connection',
  EPIPE: 'Its host closed the connection',
  EHOSTUNREACH: 'Its host is unreachable',
  ENETUNREACH: 'Its host is unreachable',
  ETIMEDOUT: 'Its host did not respond in time',
  HPE_HEADER_OVERFLOW: 'The response header is too long',
};

/** Returns the sentence for a failed request's error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof LinkFault) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (sentences[code] !== undefined) return sentences[code];
  if (code.startsWith('HPE_')) return 'The response is not HTTP';
  if (/CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|^UNABLE_TO/.test(code))
    return `Its TLS certificate is not trusted (${code})`;
  return `The request failed (${code || 'unknown'})`;
}
