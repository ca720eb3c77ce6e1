import { ForbiddenRole, InsufficientScope, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { KeyHolder, KeyScope, User } from './access.ts';
import { allows, type Role } from './role.ts';

/**
 * User or API key that makes a call, and the team that the call acts in. `userId` is the ID whose limits the call counts against: the
 * user's, or the team's if the key has no creator. In the latter case `user` is null. `keyId` is null for a session. `role` is null if
 * the user is not a member of the team. `expiresAt` is the key's expiration, or null. `accountIds` are the accounts that a key is limited
 * to, or null.
 */
export type Caller = {
  userId: Id;
  keyId: Id | null;
  user: User | null;
  team: Id;
  role: Role | null;
  scope: KeyScope;
  accountIds: Id[] | null;
  expiresAt: Date | null;
};

/**
 * Permission that a call needs. `mail`: reading mail, which a key limited to accounts may also do. Such a call reaches the team's data
 * only through ports that `withinAccounts` narrows. `read`: other reading of a team's domains, accounts, mail and keys. `send`: sending
 * mail. `write`: changing domains, accounts, mail and keys. `manage`: changing the team, its members and invitations. `self`: changing
 * the caller's own user and teams.
 */
export type Permission = 'mail' | 'read' | 'send' | 'write' | 'manage' | 'self';

const needed: Record<Permission, { role: Role; scopes: readonly KeyScope[] }> = {
  mail: { role: 'viewer', scopes: ['full', 'read', 'accounts'] },
  read: { role: 'viewer', scopes: ['full', 'read'] },
  send: { role: 'member', scopes: ['full', 'send'] },
  write: { role: 'member', scopes: ['full'] },
  manage: { role: 'owner', scopes: ['full'] },
  self: { role: 'viewer', scopes: ['full'] },
};

/** Refuses a key that is limited to accounts if the call needs more than such a key may do. Throws InsufficientScope. */
export function refuseLimited(): never {
  throw new InsufficientScope("A key limited to accounts can't do this");
}

/** Refuses a call that the caller may not make. Throws ForbiddenRole, InsufficientScope, and NotFound for a team without the caller. */
export function authorize({ role, scope }: Pick<Caller, 'role' | 'scope'>, permission: Permission): void {
  if (role === null) throw new NotFound("You aren't in a team with this id");
  const { role: least, scopes } = needed[permission];
  if (!scopes.includes(scope)) {
    if (scope === 'accounts') refuseLimited();
    throw new InsufficientScope(`A key with the ${scope} scope can't do this`);
  }
  if (!allows(role, least))
    throw new ForbiddenRole(`The ${role} role can't do this: you need the ${least} role`);
}

export function may({ role, scope }: Pick<Caller, 'role' | 'scope'>, permission: Permission): boolean {
  const { role: least, scopes } = needed[permission];
  return role !== null && scopes.includes(scope) && allows(role, least);
}

export function maySend({ key: { scope }, role }: KeyHolder): boolean {
  return may({ role, scope }, 'send');
}

/**
 * Finds the team that a call acts in: the key's team, the team that the session's request names (`wanted`), or else the personal team.
 * Returns null if the user is disabled.
 */
export async function callerOf(
  teams: { roleOf(team: Id, user: Id): Promise<Role | null> },
  holder: { user: User } | KeyHolder,
  wanted: Id | null,
): Promise<Caller | null> {
  if ('key' in holder) {
    const { id: keyId, owner: team, createdBy: user, scope, expiresAt } = holder.key;
    const accountIds = holder.key.accountIds ?? (scope === 'accounts' ? [] : null);
    const role = wanted === null || wanted === team ? holder.role : null;
    return { userId: user?.id ?? team, keyId, user, team, role, scope, accountIds, expiresAt };
  }
  const { user } = holder;
  const { id: userId } = user;
  const team = wanted ?? userId;
  const role = await teams.roleOf(team, userId);
  if (role === null && team === userId) return null;
  return { userId, keyId: null, user, team, role, scope: 'full', accountIds: null, expiresAt: null };
}
