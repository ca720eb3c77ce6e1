import { KiB, limits } from '#core/limits.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';

/** Limit of an account in bytes, and what its messages take of it. */
export type Room = { storageLimit: number; usedBytes: number; messages: number };

/** Bytes and number of some messages. */
export type Load = { bytes: number; messages: number };

/**
 * Part of a load that an account has no room for. Beyond some messages each takes at least 1 KiB, because its row takes that
 * much. An empty message has a size too: an account that is exactly full takes nothing more.
 */
export function lacking({ storageLimit, usedBytes, messages }: Room, load: Load): Load {
  const mostMessages = Math.max(limits.owned.lightMessages, Math.floor(storageLimit / KiB));
  return {
    bytes: Math.max(0, usedBytes + Math.max(load.bytes, 1) - storageLimit),
    messages: Math.max(0, messages + load.messages - mostMessages),
  };
}

/** Checks whether an account has room for a load. */
export function hasRoom(room: Room, load: Load): boolean {
  const { bytes, messages } = lacking(room, load);
  return bytes === 0 && messages === 0;
}

/** Takes messages from the beginning of a list until a load is freed, or all of them. */
export function untilFreed<T>(messages: T[], load: Load, bytesOf: (message: T) => number): T[] {
  let bytes = 0;
  return messages.filter((message, index) => {
    const isFreed = index >= load.messages && bytes >= load.bytes;
    if (!isFreed) bytes += bytesOf(message);
    return !isFreed;
  });
}

/** Maximum bytes removed in one transaction. Freeing a long body takes a store reading it. */
const mostRemovedBytes = 64 * 1024 * 1024;

/** Returns the first messages, at least one, that one transaction may remove. */
export function withinBytes<T extends { sizeBytes: number }>(messages: T[]): T[] {
  let bytes = 0;
  return messages.filter(({ sizeBytes }, index) => {
    bytes += sizeBytes;
    return index === 0 || bytes <= mostRemovedBytes;
  });
}

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

/** Checks whether a message is the copy of a sent mail, and lies in Sent. */
export function isSentCopy(copy: boolean, mailboxKey: string): boolean {
  return copy && mailboxKey === sentKey;
}
