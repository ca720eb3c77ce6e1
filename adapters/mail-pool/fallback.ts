import { MailReader } from '#adapters/mime/mail-parser.ts';
import { audit } from '#core/audit/audit.ts';
import type { Authentication } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { mailRecord } from '#core/messages/mail-record.ts';
import type { Examined, Loss, MailJob } from './messages.ts';

/** Facts for the audit of an email whose checks did not run. */
export function uncheckedFacts(arrival: Arrival, { reason, limit }: Loss) {
  return {
    authentication: unchecked(arrival, reason),
    signatures: [],
    unchecked: reason,
    limitsReached: limit === null ? [] : [limit],
  };
}

/** Results of checks that did not run (RFC 8601 section 2.7). */
function unchecked(arrival: Arrival, reason: string): Authentication {
  const result = arrival.submitted ? 'none' : 'temperror';
  return {
    spf: { result, domain: null, explanation: reason },
    dkim: [],
    dmarc: { result, domain: null, policy: null, alignedSpf: false, alignedDkim: false },
    arc: { result: 'none' },
    header: `${arrival.receivedBy}; spf=${result}; dmarc=${result}`,
  };
}

/** Creates the record of an email that broke its readers from its header section, which is at the start of `head`. */
export function fallbackContent(
  head: Uint8Array,
  { sizeBytes, arrival, loss }: Pick<MailJob, 'sizeBytes' | 'arrival' | 'loss'>,
  maxBytes: number,
): Examined {
  const reader = new MailReader();
  reader.write(headerOf(Buffer.from(head)));
  const { content: read, facts, reached } = reader.end(arrival);
  const unread = uncheckedFacts(arrival, loss);
  const { authentication } = unread;
  const checks = audit({ ...facts, sizeBytes, maxBytes, parseError: loss.reason, ...unread });
  const structure = { ...read.structure, sizeBytes, attachmentId: null, children: [] };
  const content = {
    ...read,
    text: null,
    html: null,
    attachments: [],
    structure,
    authentication,
    audit: checks,
  };
  return { record: mailRecord(content), reached: [...reached] };
}

/** Returns the bytes up to the first blank line, or all. */
function headerOf(bytes: Buffer): Buffer {
  const blank = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
  return blank === null ? bytes : bytes.subarray(0, blank.index + blank[0].length);
}
