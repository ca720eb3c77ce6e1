import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { programVersion } from '#telemetry/program-version.ts';

/** Head of an answer. `location`: value of that header, null without one. */
export type Head = { status: number; location: string | null };

/** Bytes of the head of an answer that are read. */
const maxHeaderSize = 16_384;

/**
 * Requests a URL from this address alone, on a connection of its own, and reads the head of the answer. Sends neither cookies nor a
 * user name. Throws errors of the connection, and the reason of the signal.
 */
export function requestHead(
  url: URL,
  address: string,
  method: 'HEAD' | 'GET',
  signal: AbortSignal,
): Promise<Head> {
  const isTls = url.protocol === 'https:';
  const host = hostOf(url);
  const options: RequestOptions & { servername?: string } = {
    host: address,
    port: portOf(url),
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      Host: url.host,
      'User-Agent': `Sandpost/${programVersion} (check of links)`,
      Accept: '*/*',
      Connection: 'close',
    },
    // The name that the certificate must have. An address is no server name (RFC 6066 section 3).
    ...(isTls && isIP(host) === 0 ? { servername: host } : {}),
    agent: false,
    maxHeaderSize,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = (isTls ? requestHttps : requestHttp)(options, (response) => {
      // Nothing of the body is read.
      response.on('error', () => {});
      resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? null });
      outgoing.destroy();
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Returns the name or address of a URL, without the brackets of IPv6 and without a dot at its end. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
