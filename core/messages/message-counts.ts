import { KiB } from '#core/limit.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';

/** Numbers that a mailbox keeps of its messages. `sentCopies`: copies of sent mail, while they lie in Sent. */
export type Counts = { total: number; unread: number; bytes: number; sentCopies: number };

/** Message that is counted. Without `countedBytes` its size counts. */
export type Counted = {
  isRead: boolean;
  sizeBytes: number;
  countedBytes?: number | null;
  sentCopy: boolean;
};

/** Bytes beside the body of a message that do not count: those of an ordinary envelope. */
const freeBytes = 2 * KiB;

/**
 * Bytes of a message in the quota of its account: its size as received, and the `keptBytes` beside its body as far as they are
 * more than those of an ordinary mail.
 */
export function bytesInQuota(sizeBytes: number, keptBytes: number): number {
  return sizeBytes + Math.max(0, keptBytes - freeBytes);
}

/** Counts that messages add to their mailbox; with `sign` -1, those that they take off. */
export function countsOf(messages: Counted[], sign: 1 | -1): Counts {
  const counts = { total: 0, unread: 0, bytes: 0, sentCopies: 0 };
  for (const { isRead, sizeBytes, countedBytes, sentCopy } of messages) {
    counts.total += sign;
    counts.bytes += sign * (countedBytes ?? sizeBytes);
    if (!isRead) counts.unread += sign;
    if (sentCopy) counts.sentCopies += sign;
  }
  return counts;
}

const sentKey = pathKey('Sent');

/** Tells whether a message is the copy of a sent mail, and lies in Sent. */
export function isSentCopy(copy: boolean, mailboxKey: string): boolean {
  return copy && mailboxKey === sentKey;
}
