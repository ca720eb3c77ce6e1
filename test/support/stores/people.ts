import type { Identity, KeyScope, User } from '#core/access/access.ts';
import { addKey, revokeKey } from '#core/access/key-changes.ts';
import type { Invitation, Rule, RuleSource } from '#core/access/people.ts';
import type { Grant, MembershipSource } from '#core/access/role.ts';
import {
  addUser,
  beginSession,
  removeUser,
  setDisabled,
  setGroups,
  setPassword,
  vouch,
} from '#core/access/user-changes.ts';
import type { AccountChange, NewAccount } from '#core/accounts/account.ts';
import { removeAccount, setAccount } from '#core/accounts/change-account.ts';
import { addAccount } from '#core/accounts/create-account.ts';
import { removeDomain, setDomain } from '#core/domains/change-domain.ts';
import { addDomain } from '#core/domains/create-domain.ts';
import type { DomainChange, NewDomain } from '#core/domains/domain.ts';
import { Invalid, NotFound, unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { addMailbox, removeMailbox, renameMailbox } from '#core/mailboxes/change-mailboxes.ts';
import { allOf } from '#core/page.ts';
import type { Store } from '#core/store.ts';
import { acceptInvitation, grant, revoke, settle } from '#core/teams/member-changes.ts';
import { unsettled } from '#core/teams/member-rules.ts';
import {
  addInvitation,
  addTeam,
  changeTeam,
  deleteTeam,
  endInvitation,
  putRule,
  removeRule,
} from '#core/teams/team-changes.ts';

/** Session to start. */
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

/** Store whose changes have short names, so tests read as what they are about. */
export type PeopledStore = ReturnType<typeof withPeople>;

/** Returns null instead of throwing NotFound. */
function orNull<T>(changed: Promise<T>): Promise<T | null> {
  return changed.catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
}

/** Faults of refusals, by the refused field. */
const faults = {
  domain: 'overlaps',
  address: 'address-taken',
  catchAll: 'catch-all-taken',
  capture: 'capture-taken',
  path: 'taken',
} as const;

/** Returns a fault instead of a field's refusal, unless a limit was reached. Null for another team's domain. */
function orFault<T, Field extends keyof typeof faults>(
  changed: Promise<T>,
  ...fields: Field[]
): Promise<T | (typeof faults)[Field] | null> {
  return changed.catch((error) => {
    if (!(error instanceof Invalid) || error.limits.length > 0) throw error;
    const [{ field: refused, message } = { field: '', message: '' }] = error.violations;
    if (refused === 'domainId' || message.endsWith('is not one of your domains')) return null;
    const field = fields.find((one) => one === refused);
    if (field === undefined) throw error;
    return faults[field];
  });
}

/** Checks whether a change found its rows. */
async function isDone(changed: Promise<unknown>): Promise<boolean> {
  return (await orNull(changed.then(() => true))) ?? false;
}

export function withPeople(store: Store) {
  const { rows } = store;
  const by = (user: Id | null | undefined) => (user == null ? {} : { user });
  const findKey = async (owner: Id, id: Id) =>
    (await allOf((page) => rows.list('apiKeys', { team: owner }, page))).find((key) => key.id === id) ?? null;
  return {
    ...store,
    users: {
      ...store.users,
      insert: (
        email: string,
        passwordHash: string | null,
        now: Date,
        more: { emailVerified?: boolean; identity?: Identity } = {},
      ) => unlessTaken(rows.change(addUser, { email, passwordHash, now, ...more })),
      findById: async (id: Id) =>
        (await allOf((page) => rows.list('users', {}, page))).find(({ user }) => user.id === id)?.user ??
        null,
      setPassword: (user: Id, passwordHash: string, keep: string | null = null) =>
        rows.change(setPassword, { user, passwordHash, keep }),
      vouch: (user: Id, proof: { identity: Identity } | { passwordHash: string }) =>
        unlessTaken(rows.change(vouch, { user, ...proof })),
      setDisabled: (user: Id, at: Date | null) => rows.change(setDisabled, { user, at }),
      setGroups: (user: Id, groups: string[]) => rows.change(setGroups, { user, groups }),
      remove: (user: Id, now: Date) => rows.change(removeUser, { user, now }),
    },
    sessions: {
      ...store.sessions,
      insert: ({ userId: user, origin, ...session }: TestSession, most: number) => {
        const proof = 'keyId' in origin ? { key: origin.keyId } : origin;
        return rows.change(beginSession, { user, ...proof, ...session, most });
      },
    },
    apiKeys: {
      ...store.apiKeys,
      insert: (team: Id, stored: TestKey, options: { most?: number; byMember?: boolean } = {}) =>
        unlessTaken(rows.change(addKey, { team, ...by(stored.createdBy?.id), stored, ...options })),
      find: findKey,
      remove: (team: Id, key: Id, manager: string | null = null) =>
        isDone(rows.change(revokeKey, { team, key, manager })),
    },
    teams: {
      ...store.teams,
      insert: (
        team: { name: string; kind: 'shared' | 'managed'; founder: Id | null; createdAt: Date },
        most?: number,
      ) => {
        const { name, kind, founder, createdAt: now } = team;
        const limit = most === undefined ? {} : { most };
        return orNull(unlessTaken(rows.change(addTeam, { ...by(founder), name, kind, now, ...limit })));
      },
      rename: (team: Id, name: string) => orNull(rows.change(changeTeam, { team, name })),
      softDelete: (team: Id, now: Date) => isDone(rows.change(deleteTeam, { team, now })),
      grant: (team: Id, user: Id, given: Grant, options: { now: Date; most?: number }) =>
        rows.change(grant, { team, user, grant: given, ...options }),
      revoke: (team: Id, user: Id, source: MembershipSource) => rows.change(revoke, { team, user, source }),
    },
    invitations: {
      insert: (wanted: Omit<Invitation, 'id'> & { hash: string }, most?: number) => {
        const { createdBy, createdAt: now, ...invitation } = wanted;
        const limit = most === undefined ? {} : { most };
        return orNull(rows.change(addInvitation, { ...invitation, ...by(createdBy), now, ...limit }));
      },
      remove: (team: Id, invitation: Id) => rows.change(endInvitation, { team, invitation }),
      /** Accepts an invitation to a team. */
      accept: (team: Id, hash: string, user: Id, now: Date, most: { members: number; teams: number }) =>
        rows.change(acceptInvitation, { team, user, invitation: hash, now, most }),
    },
    memberRules: {
      put: ({ source: rule, ...rest }: Omit<Rule, 'id'>, most?: number) => {
        const limit = most === undefined ? {} : { most };
        return isDone(rows.change(putRule, { rule, ...rest, ...limit }));
      },
      find: async (source: RuleSource) => (await store.rows.read('memberRules', { rule: source }))[0] ?? null,
      unsettled: (of: { source: RuleSource } | { user: Id }) =>
        unsettled(store, 'source' in of ? { rule: of.source } : of),
      settle: (membership: { team: Id; user: Id; rule: RuleSource }, options: { now: Date; most?: number }) =>
        rows.change(settle, { ...membership, ...options }),
      remove: (team: Id, rule: RuleSource) => rows.change(removeRule, { team, rule }),
    },
    domains: {
      ...store.domains,
      insert: (team: Id, { name: domain, ...wanted }: NewDomain & { name: string }, quota?: number) =>
        orFault(
          unlessTaken(rows.change(addDomain, { team, domain, ...wanted, ...(quota && { quota }) })),
          'domain',
        ),
      update: (team: Id, domain: Id, set: DomainChange, now: Date) =>
        orNull(rows.change(setDomain, { team, domain, set, now })),
      softDelete: (team: Id, domain: Id, now: Date) =>
        isDone(rows.change(removeDomain, { team, domain, now })),
    },
    accounts: {
      ...store.accounts,
      insert: (team: Id, wanted: NewAccount & { domainId: Id }, quota?: number) => {
        const domain = wanted.address.slice(wanted.address.lastIndexOf('@') + 1);
        const args = { team, domain, ...wanted, ...(quota && { quota }) };
        return orFault(rows.change(addAccount, args), 'address', 'catchAll', 'capture');
      },
      update: (team: Id, account: Id, set: AccountChange, now: Date) =>
        orFault(orNull(rows.change(setAccount, { team, account, set, now })), 'catchAll', 'capture'),
      softDelete: (team: Id, account: Id, now: Date) =>
        isDone(rows.change(removeAccount, { team, account, now })),
    },
    mailboxes: {
      ...store.mailboxes,
      insert: (team: Id, account: Id, path: string, now: Date, quota?: number) =>
        orFault(
          orNull(rows.change(addMailbox, { team, account, path, now, ...(quota && { quota }) })),
          'path',
        ),
      rename: (team: Id, account: Id, mailbox: Id, path: string) =>
        orFault(orNull(rows.change(renameMailbox, { team, account, mailbox, path })), 'path'),
      softDelete: (team: Id, account: Id, mailbox: Id, now: Date) =>
        isDone(rows.change(removeMailbox, { team, account, mailbox, now })),
    },
  };
}
