import { defineChange, type Facts, type Plan, type Scope, type Write } from '#core/change.ts';
import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Identity, User } from './access.ts';
import { roleBy } from './role.ts';
import { planTakeOver, type TakeOver } from './take-over.ts';

export const addUser = defineChange(
  'addUser',
  ['newTeam'],
  (
    { newTeam: id },
    given: Scope & {
      email: string;
      passwordHash: string | null;
      now: Date;
      emailVerified?: boolean;
      identity?: Identity;
    },
  ): Plan<User> => {
    const { email, passwordHash, now, emailVerified = false, identity } = given;
    const user = { id, email, createdAt: now };
    return {
      writes: [
        {
          do: 'add-team',
          team: { id, name: email, kind: 'personal', createdAt: now, allowsShares: true, clients: null },
        },
        { do: 'add-user', user: { ...user, passwordHash, emailVerified } },
        firstOwner(id, id, now),
        ...(identity === undefined ? [] : [{ do: 'add-identity', user: id, identity } as const]),
      ],
      result: user,
    };
  },
);

/** Returns the membership of a team's creator. */
export function firstOwner(team: Id, user: Id, joinedAt: Date, suspended = false): Write {
  return {
    ...{ do: 'put-member', team, user, joinedAt, suspended },
    grants: [{ source: 'direct', role: 'owner' }],
  };
}

/** Changes a user's password, and ends all of the user's sessions except one. */
export const setPassword = defineChange(
  'setPassword',
  ['user'],
  (
    { user },
    { passwordHash, keep }: { user: Id; passwordHash: string; keep: string | null },
  ): Plan<void> => ({
    writes:
      user === null
        ? []
        : [
            { do: 'set-user', user: user.id, set: { passwordHash } },
            { do: 'end-sessions-of', user: user.id, keep },
          ],
    result: undefined,
  }),
);

/**
 * Adds an identity to a user, or sets the user's password, on behalf of somebody who vouches for the email address. Setting a password
 * ends the user's sessions. If nobody had vouched before, `planTakeOver` applies, and the earlier password and all sessions end. Returns
 * what ended (`taken`), or null if the user does not exist.
 */
export const vouch = defineChange(
  'vouch',
  ['user', 'surroundings'],
  (
    { user, surroundings },
    { identity, passwordHash }: { user: Id; identity?: Identity; passwordHash?: string },
  ): Plan<{ taken: TakeOver | null } | null> => {
    if (user === null) return { writes: [], result: null };
    const { id } = user;
    const taken = user.emailVerified ? null : planTakeOver(id, surroundings);
    const password = passwordHash ?? (taken === null ? user.passwordHash : null);
    const writes: Write[] = [];
    if (identity !== undefined) writes.push({ do: 'add-identity', user: id, identity });
    if (taken !== null) {
      writes.push({ do: 'end-sessions-of', user: id, ofKeys: true });
      for (const end of endsOf(id, taken)) writes.push(end);
    }
    if (passwordHash !== undefined) writes.push({ do: 'end-sessions-of', user: id });
    writes.push({ do: 'set-user', user: id, set: { passwordHash: password, emailVerified: true } });
    return { writes, result: { taken } };
  },
);

function endsOf(user: Id, { left, keys, accounts, invitations }: TakeOver): Write[] {
  const idsOf = (rows: { id: Id }[]) => rows.map(({ id }) => id);
  return [
    ...left.map(
      ({ team, user, grants, joinedAt }): Write =>
        grants.length === 0
          ? { do: 'remove-members', where: { team: team.id, user: user.id } }
          : { do: 'put-member', team: team.id, user: user.id, grants, joinedAt, suspended: false },
    ),
    { do: 'end-keys', where: { ids: idsOf(keys) } },
    { do: 'end-invitations', where: { ids: idsOf(invitations) } },
    { do: 'remove-passwords', accounts: idsOf(accounts) },
    { do: 'end-shares', where: { team: user } },
    { do: 'end-shares', where: { createdBy: user } },
  ];
}

/**
 * Disables a user: ends the user's sessions, invitations and share links, and refuses the user's keys. A null time enables the user
 * again.
 */
export const setDisabled = defineChange(
  'setDisabled',
  ['user'],
  ({ user }, { at }: { user: Id; at: Date | null }): Plan<void> => {
    if (user === null) return { writes: [], result: undefined };
    const { id } = user;
    const ends: Write[] = [
      { do: 'end-sessions-of', user: id, ofKeys: true },
      { do: 'end-invitations', where: { createdBy: id } },
      { do: 'end-shares', where: { createdBy: id } },
    ];
    const set: Write = { do: 'set-user', user: id, set: { disabledAt: at } };
    return { writes: at === null ? [set] : [set, ...ends], result: undefined };
  },
);

/** Stores the identity provider's groups that a user belonged to at the latest sign-in. */
export const setGroups = defineChange(
  'setGroups',
  ['user'],
  ({ user }, { groups: given }: { user: Id; groups: string[] }): Plan<void> => {
    const groups = new Set(given);
    const isSame = groups.symmetricDifference(new Set(user?.groups)).size === 0;
    const writes: Write[] =
      user === null || isSame ? [] : [{ do: 'set-user', user: user.id, set: { groups: [...groups] } }];
    return { writes, result: undefined };
  },
);

/**
 * Removes a user with the user's sessions, identities, memberships and personal team, and the keys, invitations and share links that the
 * user created. Returns the other teams that the user was in. Throws Invalid if the user is a shared team's last owner.
 */
export const removeUser = defineChange(
  'removeUser',
  ['user', 'surroundings'],
  ({ user, surroundings }, { now }: { user: Id; now: Date }): Plan<Id[]> => {
    if (user === null) return { writes: [], result: [] };
    const { id, email } = user;
    const others = surroundings.memberships
      .filter((one) => one.user.id === id && one.team.id !== id)
      .sort((a, b) => a.team.id - b.team.id);
    for (const { team, grants, hasOtherOwner } of others)
      if (team.kind === 'shared' && roleBy(grants) === 'owner' && !hasOtherOwner)
        throw invalid(
          'email',
          `${email} is the last owner of the team "${team.name}" (id ${team.id}): make another member an owner, or remove the team`,
        );
    return {
      writes: [
        ...endOfTeam(id, now),
        { do: 'end-sessions-of', user: id, ofKeys: true },
        { do: 'end-keys', where: { createdBy: id } },
        { do: 'end-invitations', where: { createdBy: id } },
        { do: 'end-shares', where: { createdBy: id } },
        { do: 'remove-members', where: { user: id } },
        { do: 'remove-user', user: id },
      ],
      result: others.map(({ team }) => team.id),
    };
  },
);

/**
 * Returns the writes that end a team with its members, Member resources, saved searches, rules, failures, invitations, share links and
 * keys. The team's domains remain until upkeep removes them.
 */
export function endOfTeam(team: Id, now: Date): Write[] {
  const where = { team };
  return [
    { do: 'delete-team', team, now },
    { do: 'end-keys', where },
    { do: 'end-invitations', where },
    { do: 'end-shares', where },
    { do: 'remove-rules', where },
    { do: 'remove-searches', where },
    { do: 'remove-mail-rules', team },
    { do: 'remove-failures', team },
    { do: 'remove-members', where },
  ];
}

/** Session to start, with one proof of the user's identity. A session ends with the key that it was started with. */
export type NewSession = {
  /** User, or the team if the key has no creator. */
  user: Id;
  key?: Id;
  passwordHash?: string;
  identity?: Identity;
  hash: string;
  createdAt: Date;
  expiresAt: Date;
  most: number;
};

/**
 * Starts a session. Keeps up to `most` of the user's sessions in total, preferring those that expire last, and ends the rest. Counts each
 * key's sessions separately. Returns the number of ended sessions, or null if the proof is no longer valid.
 */
export const beginSession = defineChange(
  'beginSession',
  ['user', 'key', 'holdsIdentity', 'sessions'],
  (
    facts,
    { user: userId, key, most, hash, createdAt, expiresAt, ...proof }: NewSession,
  ): Plan<number | null> => {
    if (!isProven(facts, userId, key, proof)) return { writes: [], result: null };
    const beyond = facts.sessions.slice(most - 1);
    const session = { hash, userId, keyId: key ?? null, createdAt, expiresAt };
    return {
      writes: [
        { do: 'end-sessions', hashes: beyond },
        { do: 'add-session', session },
      ],
      result: beyond.length,
    };
  },
);

function isProven(
  { user, key, holdsIdentity }: Pick<Facts, 'user' | 'key' | 'holdsIdentity'>,
  userId: Id,
  keyId: Id | undefined,
  { passwordHash }: Pick<NewSession, 'passwordHash'>,
): boolean {
  if (keyId !== undefined) return key !== null && (key.createdBy?.id ?? key.owner) === userId;
  if (user === null || user.disabledAt !== null) return false;
  return passwordHash === undefined ? holdsIdentity : user.passwordHash === passwordHash;
}
