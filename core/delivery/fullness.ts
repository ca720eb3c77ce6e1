import type { Load } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';

/** Mail that an account has no room for. */
export type Unfit = { owner: Id; accountId: Id; load: Load };

/** Handling of mail for which there is no room. */
export type Fullness = {
  /** Account that drops its oldest mail instead of refusing new mail: that of `sandpost dev`. */
  readonly dropsOldest: Id | null;
  /** Settles when no mail makes room. Null while none does. */
  readonly turns: Promise<unknown> | null;
  /** Does work that makes room, after all such work before it. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Drops some of the oldest mail if the account is the one that does. True if the mail may fit now. */
  makeRoom(mail: Unfit): Promise<boolean>;
  /** Notes mail that was refused. Marks the account as full, and logs one line a minute for it. */
  accountRefused(mail: Unfit): void;
  /** Notes a write that was refused because the disk is full. Logs one line a minute. */
  diskRefused(): void;
};
