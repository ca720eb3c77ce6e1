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

/** Bytes beside the body of a message that do not count: those of an ordinary envelope, and those of an ordinary content. */
const freeBytes = { envelope: 2 * KiB, content: 16 * KiB };

/** Content of an ordinary mail is at most so many times as long as its body. */
const contentShare = 4;

/**
 * Bytes of a message in the quota of its account: its size as received, the `keptBytes` beside its body, and the `contentBytes`
 * read out of it (fields, parts, checks; without texts), as far as they are more than those of an ordinary mail. A body of a
 * thousand empty parts makes a content of forty times its size.
 */
export function bytesInQuota(sizeBytes: number, keptBytes: number, contentBytes = 0): number {
  const content = contentBytes - Math.max(freeBytes.content, contentShare * sizeBytes);
  return sizeBytes + Math.max(0, keptBytes - freeBytes.envelope) + Math.max(0, content);
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
