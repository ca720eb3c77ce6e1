import { pathKey } from '#core/mailboxes/mailbox.ts';

/** Numbers that a mailbox keeps of its messages. `sentCopies`: copies of sent mail, while they lie in Sent. */
export type Counts = { total: number; unread: number; bytes: number; sentCopies: number };

export type Counted = { isRead: boolean; sizeBytes: number; sentCopy: boolean };

/** Counts that messages add to their mailbox; with `sign` -1, those that they take off. */
export function countsOf(messages: Counted[], sign: 1 | -1): Counts {
  const counts = { total: 0, unread: 0, bytes: 0, sentCopies: 0 };
  for (const { isRead, sizeBytes, sentCopy } of messages) {
    counts.total += sign;
    counts.bytes += sign * sizeBytes;
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
