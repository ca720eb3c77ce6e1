import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Page, Slice } from '#core/page.ts';

/** Account flags with their default values. Rows, archives, defaults and resources all contain exactly these flags. */
export const defaultFlags = {
  active: true,
  catchAll: false,
  /** Makes the account receive mail that the owner's applications send to foreign addresses. An owner has at most one such account. */
  capture: false,
  /** Delivery to the account fails as the recipient's tag says (`address-failure.ts`). */
  simulatesFailures: false,
};

export type AccountFlags = typeof defaultFlags;

/** Returns the account flags of an object. A missing flag gets its default value. */
export function withDefaults<Fields extends object>(
  defaults: Fields,
  given: { [Name in keyof Fields]?: Fields[Name] | undefined },
): Fields {
  const values: Record<string, unknown> = given;
  const known = Object.entries(defaults).map(([name, value]) => [name, values[name] ?? value]);
  return Object.fromEntries(known);
}

/** Address that receives mail, with its quota and mailboxes. Sizes are in bytes. */
export type Account = AccountFlags & {
  id: Id;
  owner: Id;
  domainId: Id;
  address: string;
  storageLimit: number;
  usedBytes: number;
  /** Time at which the account refused mail because it was full. Null after space has been freed or the limit changed. */
  fullAt: Date | null;
  managedBy: string | null;
  mailboxes: Mailbox[];
  createdAt: Date;
  updatedAt: Date;
};

export const defaultStorageLimit = 104_857_600;

/** Free space in bytes below which an account counts as full. Few emails are smaller than this. */
const smallRoom = 256;

/** Checks whether an account lacks the space for a typical email, or has refused an email since space was last freed. */
export function isFull({
  usedBytes,
  storageLimit,
  fullAt,
}: Pick<Account, 'usedBytes' | 'storageLimit' | 'fullAt'>): boolean {
  return fullAt !== null || storageLimit - usedBytes < smallRoom;
}

export type NewAccount = Partial<AccountFlags> &
  Pick<Account, 'address' | 'storageLimit' | 'managedBy' | 'createdAt'> & { passwordHash: string | null };

export type AccountChange = Partial<AccountFlags & Pick<Account, 'storageLimit' | 'managedBy'>> & {
  passwordHash?: string;
};

export type AccountFilter = { ids?: Id[]; domainId?: Id; address?: string; active?: boolean };

export type AccountStore = {
  /** Lists accounts, oldest first. */
  list(owner: Id, filter: AccountFilter, page: Page): Promise<Slice<Account>>;
  find(owner: Id, id: Id): Promise<Account | null>;
  /** Finds the address of the owner's capture account. */
  findCapture(owner: Id): Promise<string | null>;
  /** Records that the account has refused mail because it was full, unless this is already recorded. */
  markFull(owner: Id, id: Id, at: Date): Promise<void>;
};
