import type { Identity, KeyScope, User } from '#core/access/access.ts';
import type { Invitation, Rule, RuleSource } from '#core/access/people.ts';
import type { Grant, MembershipSource } from '#core/access/role.ts';
import {
  addKey,
  addUser,
  beginSession,
  removeUser,
  revokeKey,
  setDisabled,
  setGroups,
  setPassword,
  vouch,
} from '#core/access/user-changes.ts';
import { NotFound, unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { allOf } from '#core/page.ts';
import type { Store } from '#core/store.ts';
import { acceptInvitation, grant, revoke, settle } from '#core/teams/member-changes.ts';
import { unsettled } from '#core/teams/member-rules.ts';
import {
  addInvitation,
  addTeam,
  deleteTeam,
  endInvitation,
  putRule,
  removeRule,
  renameTeam,
} from '#core/teams/team-changes.ts';

/** Session to begin. */
export type TestSession = {
  hash: string;
  userId: Id;
  origin: { keyId: Id } | { passwordHash: string } | { identity: Identity };
  createdAt: Date;
  expiresAt: Date;
};

type TestKey = {
  name: string;
  prefix: string;
  hash: string;
  scope?: KeyScope;
  expiresAt?: Date | null;
  createdBy?: User | null;
  managedBy?: string | null;
  createdAt: Date;
};

/** Store whose changes of people have short names, so that a test reads as what it is about. */
export type PeopledStore = ReturnType<typeof withPeople>;

/** Returns null in place of NotFound. */
function orNull<T>(changed: Promise<T>): Promise<T | null> {
  return changed.catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
}

export function withPeople(store: Store) {
  const { people } = store;
  const by = (user: Id | null | undefined) => (user == null ? {} : { user });
  const findKey = async (owner: Id, id: Id) =>
    (await allOf((page) => store.apiKeys.list(owner, page))).find((key) => key.id === id) ?? null;
  return {
    ...store,
    users: {
      ...store.users,
      insert: (
        email: string,
        passwordHash: string | null,
        now: Date,
        more: { emailVerified?: boolean; identity?: Identity } = {},
      ) => unlessTaken(people.change(addUser, { email, passwordHash, now, ...more })),
      findById: async (id: Id) =>
        (await allOf((page) => store.users.list(page))).find(({ user }) => user.id === id)?.user ?? null,
      setPassword: (user: Id, passwordHash: string, keep: string | null = null) =>
        people.change(setPassword, { user, passwordHash, keep }),
      vouch: (user: Id, proof: { identity: Identity } | { passwordHash: string }) =>
        unlessTaken(people.change(vouch, { user, ...proof })),
      setDisabled: (user: Id, at: Date | null) => people.change(setDisabled, { user, at }),
      setGroups: (user: Id, groups: string[]) => people.change(setGroups, { user, groups }),
      remove: (user: Id, now: Date) => people.change(removeUser, { user, now }),
    },
    sessions: {
      ...store.sessions,
      insert: ({ userId: user, origin, ...session }: TestSession, most: number) => {
        const proof = 'keyId' in origin ? { key: origin.keyId } : origin;
        return people.change(beginSession, { user, ...proof, ...session, most });
      },
    },
    apiKeys: {
      ...store.apiKeys,
      insert: (team: Id, stored: TestKey, options: { most?: number; byMember?: boolean } = {}) =>
        unlessTaken(people.change(addKey, { team, ...by(stored.createdBy?.id), stored, ...options })),
      find: findKey,
      remove: async (team: Id, key: Id, manager: string | null = null) =>
        (await orNull(people.change(revokeKey, { team, key, manager }))) !== null,
    },
    teams: {
      ...store.teams,
      insert: (
        team: { name: string; kind: 'shared' | 'managed'; founder: Id | null; createdAt: Date },
        most?: number,
      ) => {
        const { name, kind, founder, createdAt: now } = team;
        const limit = most === undefined ? {} : { most };
        return orNull(unlessTaken(people.change(addTeam, { ...by(founder), name, kind, now, ...limit })));
      },
      rename: (team: Id, name: string) => orNull(people.change(renameTeam, { team, name })),
      softDelete: async (team: Id, now: Date) =>
        (await orNull(people.change(deleteTeam, { team, now }))) !== null,
      grant: (team: Id, user: Id, given: Grant, options: { now: Date; most?: number }) =>
        people.change(grant, { team, user, grant: given, ...options }),
      revoke: (team: Id, user: Id, source: MembershipSource) => people.change(revoke, { team, user, source }),
    },
    invitations: {
      ...store.invitations,
      insert: (wanted: Omit<Invitation, 'id'> & { hash: string }, most?: number) => {
        const { createdBy, createdAt: now, ...invitation } = wanted;
        const limit = most === undefined ? {} : { most };
        return orNull(people.change(addInvitation, { ...invitation, ...by(createdBy), now, ...limit }));
      },
      remove: (team: Id, invitation: Id) => people.change(endInvitation, { team, invitation }),
      /** Accepts an invitation to a team. */
      accept: (team: Id, hash: string, user: Id, now: Date, most: { members: number; teams: number }) =>
        people.change(acceptInvitation, { team, user, invitation: hash, now, most }),
    },
    memberRules: {
      ...store.memberRules,
      put: async ({ source: rule, ...rest }: Omit<Rule, 'id'>, most?: number) => {
        const limit = most === undefined ? {} : { most };
        return (await orNull(people.change(putRule, { rule, ...rest, ...limit }).then(() => true))) ?? false;
      },
      find: async (source: RuleSource) => (await store.memberRules.list(source))[0] ?? null,
      unsettled: (of: { source: RuleSource } | { user: Id }) => unsettled(store, of),
      settle: (membership: { team: Id; user: Id; rule: RuleSource }, options: { now: Date; most?: number }) =>
        people.change(settle, { ...membership, ...options }),
      remove: (team: Id, rule: RuleSource) => people.change(removeRule, { team, rule }),
    },
  };
}
