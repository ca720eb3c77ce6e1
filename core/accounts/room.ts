import { KiB, limits } from '#core/limits.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';

/** Limit of an account in bytes, and how much of it the messages use. */
export type Room = { storageLimit: number; usedBytes: number; messages: number };

export type Load = { bytes: number; messages: number };

/**
 * Returns the part of a load that exceeds an account's free space. Above a certain number of messages, each counts at least 1 KiB,
 * because its row needs that much. Even an empty load counts one byte: an account that is exactly full accepts nothing more.
 */
export function lacking({ storageLimit, usedBytes, messages }: Room, load: Load): Load {
  const mostMessages = Math.max(limits.owned.lightMessages, Math.floor(storageLimit / KiB));
  return {
    bytes: Math.max(0, usedBytes + Math.max(load.bytes, 1) - storageLimit),
    messages: Math.max(0, messages + load.messages - mostMessages),
  };
}

/** Checks whether an account has space for a load. */
export function hasRoom(room: Room, load: Load): boolean {
  const { bytes, messages } = lacking(room, load);
  return bytes === 0 && messages === 0;
}

/** Selects messages from the start of a list until they free the given load, or all of them if they cannot. */
export function takeUntilFreed<T>(messages: T[], load: Load, bytesOf: (message: T) => number): T[] {
  let bytes = 0;
  return messages.filter((message, index) => {
    const isFreed = index >= load.messages && bytes >= load.bytes;
    if (!isFreed) bytes += bytesOf(message);
    return !isFreed;
  });
}

/** Maximum bytes removed in one transaction. A store has to read a long body to remove it. */
const mostRemovedBytes = 64 * 1024 * 1024;

/** Returns the first messages, as many as a single transaction may remove, and at least one. */
export function withinBytes<T extends { sizeBytes: number }>(messages: T[]): T[] {
  let bytes = 0;
  return messages.filter(({ sizeBytes }, index) => {
    bytes += sizeBytes;
    return index === 0 || bytes <= mostRemovedBytes;
  });
}

/** Counts that a mailbox keeps of its messages. `sentCopies`: copies of sent mail that are in Sent. */
export type Counts = { total: number; unread: number; bytes: number; sentCopies: number };

/** Message to count. If `countedBytes` is absent, `sizeBytes` counts. */
export type Counted = {
  isRead: boolean;
  sizeBytes: number;
  countedBytes?: number | null;
  sentCopy: boolean;
};

/** Bytes that do not count in addition to a message's body: the size of an ordinary envelope, and of ordinary extracted content. */
const freeBytes = { envelope: 2 * KiB, content: 16 * KiB };

/** Maximum ratio of an ordinary email's extracted content to its body. */
const contentShare = 4;

/**
 * Returns a message's bytes in its account's quota: its size as received, plus the `keptBytes` and `contentBytes` in excess of an
 * ordinary email's. `keptBytes` are stored in addition to the body. `contentBytes` are extracted from it (fields, parts, checks; without
 * texts): a body with a thousand empty parts results in content forty times its size.
 */
export function bytesInQuota(sizeBytes: number, keptBytes: number, contentBytes = 0): number {
  const content = contentBytes - Math.max(freeBytes.content, contentShare * sizeBytes);
  return sizeBytes + Math.max(0, keptBytes - freeBytes.envelope) + Math.max(0, content);
}

/** Returns the counts that messages add to their mailbox (`sign` 1) or subtract from it (-1). */
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

/** Checks whether a message is a copy of sent mail and is still in Sent. */
export function isSentCopy(copy: boolean, mailboxKey: string): boolean {
  return copy && mailboxKey === sentKey;
}
