import { KiB } from '#core/limit.ts';
import { limits } from '#core/limits.ts';

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

/** Tells whether an account has room for a load. */
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
