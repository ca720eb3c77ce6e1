import assert from 'node:assert/strict';
import { SmtpClient } from './smtp-client.ts';

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Returns the command that signs in by the mechanism PLAIN (RFC 4616). */
export const authPlain = (userName: string, password: string): string =>
  `AUTH PLAIN ${base64(`\0${userName}\0${password}`)}`;

let lastHost = 0;

/** Connects from a loopback address that no other test in the process uses: failed sign-ins count by address. */
export function connectFromNewHost(port: number): Promise<SmtpClient> {
  lastHost += 1;
  return SmtpClient.open(port, `127.1.${lastHost >> 8}.${lastHost & 255}`);
}

/** Connects from its own address and signs in. */
export async function signedInClient(port: number, userName: string, password: string): Promise<SmtpClient> {
  const client = await connectFromNewHost(port);
  assert.equal(await client.command(authPlain(userName, password)), '235 2.7.0 Authentication successful');
  return client;
}
