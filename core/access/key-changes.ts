import { defineChange, type Plan } from '#core/change.ts';
import { invalid, NotFound, refuseForeignManager, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { ApiKey, KeyScope, User } from './access.ts';

/**
 * Key to store. If `scope` is absent, the key may do all that its creator may do, or read the mail of the accounts that it is limited to.
 */
type StoredKey = {
  name: string;
  prefix: string;
  hash: string;
  scope?: KeyScope | undefined;
  expiresAt?: Date | null;
  createdBy?: User | null;
  managedBy?: string | null;
  createdAt: Date;
};

type GivenKey = {
  team: Id;
  user?: Id;
  key?: never;
  accountIds?: Id[];
  stored: StoredKey;
  most?: number;
  byMember?: boolean;
};

/**
 * Stores a key. `accountIds` limits the key to reading these accounts' mail. Throws NotFound if the team or the creator does not exist,
 * or if `byMember` is set and the creator is not a member; throws Invalid.
 */
export const addKey = defineChange(
  'addKey',
  ['newKey', 'team', 'user', 'member', 'keys', 'ownAccounts'],
  ({ newKey, team, user, member, keys, ownAccounts }, given: GivenKey): Plan<ApiKey> => {
    const { name, prefix, hash, scope: wanted, expiresAt = null, createdAt } = given.stored;
    const { createdBy = null, managedBy = null } = given.stored;
    const { accountIds = null } = given;
    if (team === null || (createdBy !== null && (given.byMember ? member : user) === null))
      throw new NotFound();
    requireRoom(keys, { field: 'name', limit: 'owned.apiKeys', things: 'API keys', most: given.most });
    if (accountIds !== null && wanted !== undefined && wanted !== 'read')
      throw invalid('scope', 'must be "read" for a key limited to accounts');
    if (accountIds?.some((id) => !ownAccounts.includes(id)))
      throw invalid('accountIds', 'must contain only ids of your accounts');
    const scope = accountIds === null ? (wanted ?? 'full') : 'accounts';
    const origin = { createdBy, managedBy, createdAt, lastUsedAt: null };
    const key = { id: newKey, owner: team.id, name, prefix, scope, accountIds, expiresAt, ...origin };
    return { writes: [{ do: 'add-key', key, hash }], result: key };
  },
);

/** Revokes a key. `manager` is the requesting Kubernetes resource, or null for the API. Throws NotFound, Invalid. */
export const revokeKey = defineChange(
  'revokeKey',
  ['key'],
  ({ key }, { team, manager }: { team: Id; key: Id; manager: string | null }): Plan<ApiKey> => {
    if (key === null) throw new NotFound();
    refuseForeignManager(key.managedBy, manager, 'token');
    return { writes: [{ do: 'end-keys', where: { team, ids: [key.id] } }], result: key };
  },
);

/**
 * Changes the scope and the expiration of a key that a Kubernetes resource manages. The key keeps its id, value and sessions.
 * Throws NotFound, Invalid.
 */
export const changeKey = defineChange(
  'changeKey',
  ['key'],
  (
    { key },
    given: { team: Id; key: Id; manager: string; set: Partial<Pick<ApiKey, 'scope' | 'expiresAt'>> },
  ): Plan<ApiKey> => {
    if (key === null) throw new NotFound();
    refuseForeignManager(key.managedBy, given.manager, 'token');
    if (key.accountIds !== null && given.set.scope !== undefined)
      throw invalid('scope', "can't be changed for a key limited to accounts");
    return { writes: [{ do: 'set-key', key: key.id, set: given.set }], result: { ...key, ...given.set } };
  },
);
