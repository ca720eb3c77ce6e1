import type { Arrival } from '#core/messages/examine.ts';

/** Arrival of an email whose envelope reveals nothing. */
export const arrival: Arrival = {
  mailFrom: '',
  helo: null,
  remoteAddress: null,
  receivedBy: 'mx.app.test',
  receivedAt: new Date('2026-11-21T10:00:00Z'),
  smtpUtf8: false,
  submitted: false,
};

/** Cuts an email into pieces. */
export async function* cut(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
