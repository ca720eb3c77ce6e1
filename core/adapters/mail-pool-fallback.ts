import { audit } from '#core/messages/audit.ts';
import type { Authentication, MessageContent } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { RawMessage } from '#core/messages/message.ts';
import { MailReader } from './mail-parser.ts';

/** Of a mail that cannot be read, so many bytes are looked at: its header section, rarely more. */
const LOOKED_AT = 65_536;

/** The results of checks that could not be made (RFC 8601 section 2.7). */
export function unchecked(arrival: Arrival, reason: string): Authentication {
  const result = arrival.submitted ? 'none' : 'temperror';
  return {
    spf: { result, domain: null, explanation: reason },
    dkim: [],
    dmarc: { result, domain: null, policy: null, alignedSpf: false, alignedDkim: false },
    arc: { result: 'none' },
    header: `${arrival.receivedBy}; spf=${result}; dmarc=${result}`,
  };
}

/** The content of a mail that broke its readers: what its header section tells. */
export async function fallbackContent(
  raw: RawMessage,
  arrival: Arrival,
  maxBytes: number,
  reason: string,
): Promise<MessageContent> {
  const pieces: Uint8Array[] = [];
  for await (const piece of raw.open({ start: 0, end: Math.min(raw.sizeBytes, LOOKED_AT) }))
    pieces.push(piece);
  const reader = new MailReader();
  reader.write(headerOf(Buffer.concat(pieces).subarray(0, LOOKED_AT)));
  const { content, facts } = reader.end(arrival);
  const authentication = unchecked(arrival, reason);
  const checks = audit({
    ...facts,
    sizeBytes: raw.sizeBytes,
    maxBytes,
    parseError: reason,
    authentication,
    signatures: [],
  });
  const structure = { ...content.structure, sizeBytes: raw.sizeBytes, attachmentId: null, children: [] };
  return { ...content, text: null, html: null, attachments: [], structure, authentication, audit: checks };
}

/** Up to the first blank line, or all. */
function headerOf(bytes: Buffer): Buffer {
  const blank = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  return blank === null ? bytes : bytes.subarray(0, blank.index + blank[0].length);
}
