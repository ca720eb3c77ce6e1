import type { Id } from '#core/ids.ts';

/** Target of a link: one message, or one account with its messages as they arrive. */
export type ShareTarget = { messageId: Id } | { accountId: Id };

/**
 * Link with which anybody can read a message or an account until `expiresAt`. One of `messageId` and `accountId` is null. `name` is the
 * subject or the address at creation time. `createdBy` is null for a key without a creator. `openedAt` is the time when it was first
 * opened, or null. Stores identify it by the SHA-256 (hex) of its secret. They remove it when it ends, except if it expires, or if its
 * message or account is deleted. Such a link is not listed.
 */
export type Share = {
  id: Id;
  team: Id;
  messageId: Id | null;
  accountId: Id | null;
  name: string;
  createdBy: Id | null;
  createdAt: Date;
  expiresAt: Date;
  openedAt: Date | null;
};

/** Share link with its creator's email address, as lists show it. */
export type ListedShare = Share & { creator: string | null };
