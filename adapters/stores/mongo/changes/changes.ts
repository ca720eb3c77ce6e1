import type { ClientSession, Filter } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { IdKind } from '#adapters/stores/mongo/counters.ts';
import { allNames } from '#adapters/stores/mongo/domains.ts';
import { isDuplicate } from '#adapters/stores/mongo/errors.ts';
import { createFailureWrites, failuresOf } from '#adapters/stores/mongo/failures.ts';
import { createMailRuleWrites } from '#adapters/stores/mongo/mail-rules.ts';
import { toMailboxRow } from '#adapters/stores/mongo/mailboxes.ts';
import { identityKey, memberKey } from '#adapters/stores/mongo/people/rows.ts';
import { type ApiKeyRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { roleBy } from '#core/access/role.ts';
import type { Change, Facts, NewIds, Plan, RowStore, Scope, Write } from '#core/change.ts';
import { domainPath } from '#core/domains/domain-name.ts';
import { Duplicate, StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { pathKey, systemMailboxes } from '#core/mailboxes/mailbox.ts';
import { createFactReaders } from './facts.ts';

const idKinds: Record<keyof NewIds, IdKind> = {
  newTeam: 'teams',
  newKey: 'apiKeys',
  newInvitation: 'invitations',
  newRule: 'memberRules',
  newDomain: 'domains',
  newAccount: 'accounts',
  newMailbox: 'mailboxes',
  newMailboxes: 'mailboxes',
  newSearch: 'savedSearches',
  newMailRule: 'mailRules',
  newFailure: 'failures',
};

/**
 * Plans and writes changes in transactions that lock the team and the user. A key's team is locked where the scope names none:
 * a removal of the key takes that lock. A change that needs related names locks all names.
 */
export function createRows(context: Context): RowStore {
  const { collections, ids, withTeamLock } = context;
  const { apiKeys, members, teamVersions } = collections;
  const readers = createFactReaders(context);
  const write = createRowWriter(context);
  /** Counts a change of all teams that a user is in, for the caches of keys and roles. */
  const countChanges = async (user: Id, locked: Id[], session: ClientSession): Promise<void> => {
    const rows = await members.find({ user }, { session, projection: { team: 1 } }).toArray();
    const others = rows.map(({ team }) => team).filter((team) => !locked.includes(team));
    const counted = { $inc: { version: 1, changes: 1 } };
    await teamVersions.updateMany({ _id: { $in: others } }, counted, { session });
  };
  const newIdsFor = async (needs: readonly string[]): Promise<Partial<Facts>> => {
    const taken: Record<string, Id> = {};
    const { newMailboxes, ...single } = idKinds;
    for (const [name, kind] of Object.entries(single))
      if (needs.includes(name)) [taken[name] = 0] = await ids.take(kind, 1);
    if (!needs.includes('newMailboxes')) return taken;
    return { ...taken, newMailboxes: await ids.take(newMailboxes, systemMailboxes.length) };
  };
  const teamOf = async ({ team, key }: Scope): Promise<Id | undefined> => {
    if (team !== undefined || key === undefined) return team;
    return (await apiKeys.findOne({ _id: key }, { projection: { owner: 1 } }))?.owner;
  };
  const factsOf = async (needs: readonly (keyof Facts)[], scope: Scope, session: ClientSession) => {
    const known: Partial<Facts> = {};
    for (const name of needs) {
      if (name in idKinds) continue;
      Object.assign(known, { [name]: await readers[name as keyof typeof readers](scope, session, known) });
    }
    return known;
  };
  const inTransaction = async <Args extends Scope, Result>(
    { needs, plan: decide }: Change<Args, Result>,
    args: Args,
  ): Promise<Result> => {
    const fresh = await newIdsFor(needs);
    const names = needs.includes('related') ? allNames : undefined;
    const locked = [names, await teamOf(args), args.user, fresh.newTeam].filter((id) => id !== undefined);
    const planned: Plan<Result>[] = [];
    await withTeamLock(locked, async ({ session }) => {
      const facts = await factsOf(needs, args, session);
      const plan = decide({ ...fresh, ...facts } as Facts, args);
      planned.push(plan);
      if (args.user !== undefined && plan.writes.some((one) => reachesBeyond(one, locked)))
        await countChanges(args.user, locked, session);
      for (const one of plan.writes) await write(one, session);
      // Without a write, the transaction is aborted.
      return plan.writes.length > 0;
    });
    const [plan] = planned.slice(-1);
    if (plan === undefined) throw new StoreUnavailable('the change was not planned');
    return plan.result;
  };
  return {
    change: (change, args) =>
      inTransaction(change, args).catch((error) => {
        throw isDuplicate(error) ? new Duplicate('a unique value is in use', { cause: error }) : error;
      }),
  };
}

/** Checks whether a write changes keys or roles of a team that is not locked. */
function reachesBeyond(write: Write, locked: Id[]): boolean {
  const isFar = (team: Id | undefined) => team === undefined || !locked.includes(team);
  switch (write.do) {
    case 'set-user':
      return write.set.disabledAt !== undefined;
    case 'put-member':
      return isFar(write.team);
    case 'remove-members':
    case 'end-keys':
      return isFar(write.where.team);
    default:
      return false;
  }
}

/** Writes a row in a transaction. */
type RowWriter = (write: Write, session: ClientSession) => Promise<unknown>;

function createRowWriter({ collections }: Pick<Context, 'collections'>): RowWriter {
  const { teams, users, identities, members, apiKeys, sessions, invitations, memberRules } = collections;
  const { domains, accounts, mailboxes, savedSearches } = collections;
  const mailRules = createMailRuleWrites({ collections });
  const failures = createFailureWrites({ collections });
  const hideAccounts = async (ids: Id[], session: ClientSession) => {
    const deleted = { $set: { deleted: true } } as const;
    await accounts.updateMany({ _id: { $in: ids } }, deleted, { session });
    await mailboxes.updateMany({ accountId: { $in: ids }, ...notDeleted }, deleted, { session });
  };
  const endSessionsOfKeys = async (keys: Filter<ApiKeyRow>, session: ClientSession) => {
    const rows = await apiKeys.find(keys, { session, projection: { _id: 1 } }).toArray();
    await sessions.deleteMany({ keyId: { $in: rows.map(({ _id }) => _id) } }, { session });
  };
  const writers: {
    [Do in Write['do']]: (write: Extract<Write, { do: Do }>, session: ClientSession) => Promise<unknown>;
  } = {
    'add-team': ({ team: { id, ...team } }, session) =>
      teams.insertOne({ _id: id, ...team, ...notDeleted }, { session }),
    'rename-team': ({ team, name }, session) =>
      teams.updateOne({ _id: team }, { $set: { name } }, { session }),
    'delete-team': ({ team }, session) =>
      teams.updateOne({ _id: team }, { $set: { deleted: true } }, { session }),
    'add-user': ({ user: { id, ...user } }, session) =>
      users.insertOne({ _id: id, ...user, disabledAt: null }, { session }),
    async 'set-user'({ user, set }, session) {
      await users.updateOne({ _id: user }, { $set: set }, { session });
      if (set.disabledAt === undefined) return;
      const suspended = set.disabledAt !== null;
      await members.updateMany({ user }, { $set: { suspended } }, { session });
    },
    async 'remove-user'({ user }, session) {
      await identities.deleteMany({ userId: user }, { session });
      await users.deleteOne({ _id: user }, { session });
    },
    'add-identity': ({ user: userId, identity }, session) =>
      identities.insertOne({ _id: identityKey(identity), issuer: identity.issuer, userId }, { session }),
    'put-member': ({ team, user, grants, joinedAt, suspended }, session) =>
      members.updateOne(
        { _id: memberKey(team, user) },
        { $set: { grants, role: roleBy(grants) }, $setOnInsert: { team, user, joinedAt, suspended } },
        { session, upsert: true },
      ),
    'remove-members': ({ where }, session) => members.deleteMany(where, { session }),
    'add-key': ({ key: { id, createdBy, ...key }, hash }, session) =>
      apiKeys.insertOne({ _id: id, ...key, createdBy: createdBy?.id ?? null, hash }, { session }),
    'set-key': ({ key, set }, session) => apiKeys.updateOne({ _id: key }, { $set: set }, { session }),
    async 'end-keys'({ where: { ids, team: owner, createdBy } }, session) {
      const keys = present({ _id: ids && { $in: ids }, owner, createdBy });
      await endSessionsOfKeys(keys, session);
      await apiKeys.deleteMany(keys, { session });
    },
    'add-session': ({ session: { hash, ...row } }, session) =>
      sessions.insertOne({ _id: hash, ...row }, { session }),
    'end-sessions': ({ hashes }, session) => sessions.deleteMany({ _id: { $in: hashes } }, { session }),
    async 'end-sessions-of'({ user: userId, keep, ofKeys }, session) {
      await sessions.deleteMany({ userId, _id: { $ne: keep ?? '' } }, { session });
      if (ofKeys) await endSessionsOfKeys({ createdBy: userId }, session);
    },
    'add-invitation': ({ invitation: { id, ...invitation }, hash }, session) =>
      invitations.insertOne({ _id: id, ...invitation, hash }, { session }),
    'end-invitations': ({ where: { ids, team, createdBy } }, session) =>
      invitations.deleteMany(present({ _id: ids && { $in: ids }, team, createdBy }), { session }),
    'put-rule': ({ rule: { id, ...rule } }, session) =>
      memberRules.replaceOne({ _id: id }, rule, { session, upsert: true }),
    'remove-rules': ({ where }, session) => memberRules.deleteMany(where, { session }),
    'remove-passwords': ({ accounts: ids }, session) =>
      accounts.updateMany({ _id: { $in: ids } }, { $set: { passwordHash: null } }, { session }),
    async 'add-domain'({ domain: { id, ...domain } }, session) {
      const found = await failuresOf({ collections }, domain.owner, session);
      const row = { _id: id, ...domain, path: domainPath(domain.name), ...found, ...notDeleted };
      await domains.insertOne(row, { session });
    },
    'set-domain': ({ domain, set }, session) =>
      domains.updateOne({ _id: domain }, { $set: set }, { session }),
    async 'delete-domain'({ domain }, session) {
      await domains.updateOne({ _id: domain }, { $set: { deleted: true } }, { session });
      const held = accounts.find({ domainId: domain, ...notDeleted }, { session, projection: { _id: 1 } });
      await hideAccounts(await held.map(({ _id }) => _id).toArray(), session);
    },
    async 'add-account'({ account: { id, mailboxes: own, fullAt: _, ...account }, passwordHash }, session) {
      await accounts.insertOne({ _id: id, ...account, passwordHash, ...notDeleted }, { session });
      const rows = own.map((mailbox) => toMailboxRow(mailbox, account.owner));
      await mailboxes.insertMany(rows, { session });
    },
    'set-account': ({ account, set, room }, session) =>
      accounts.updateOne(
        { _id: account },
        { $set: set, ...(room && { $unset: { fullAt: '' } as const }) },
        { session },
      ),
    'delete-account': ({ account }, session) => hideAccounts([account], session),
    'add-mailbox': ({ mailbox, owner }, session) =>
      mailboxes.insertOne(toMailboxRow(mailbox, owner), { session }),
    'rename-mailbox': ({ mailbox, path }, session) =>
      mailboxes.updateOne({ _id: mailbox }, { $set: { path, pathKey: pathKey(path) } }, { session }),
    'put-search': ({ team, search: { id, ...search } }, session) =>
      savedSearches.replaceOne({ _id: id }, { ...search, team }, { session, upsert: true }),
    'remove-searches': ({ where: { id: _id, team } }, session) =>
      savedSearches.deleteMany(present({ _id, team }), { session }),
    'put-mail-rules': ({ team, rules }, session) => mailRules.put(team, rules, session),
    'remove-mail-rules': ({ team, ids }, session) => mailRules.remove(team, ids, session),
    'put-failure': ({ team, key, failure }, session) => failures.put(team, key, failure, session),
    'remove-failures': ({ team, ids, over }, session) => failures.remove(team, { ids, over }, session),
    'renew-failures': ({ team }, session) => failures.renew(team, session),
    async 'delete-mailbox'({ mailbox, account }, session) {
      const deleted = { $set: { deleted: true } } as const;
      const row = await mailboxes.findOneAndUpdate({ _id: mailbox }, deleted, { session });
      const freed = { $inc: { usedBytes: -(row?.bytes ?? 0) }, $unset: { fullAt: '' } } as const;
      await accounts.updateOne({ _id: account }, freed, { session });
    },
  };
  return (write, session) => writers[write.do](write as never, session);
}

/** Leaves out the fields without a value. A condition without any would fit all rows. */
function present<Condition extends object>(
  condition: Condition,
): { [Field in keyof Condition]: NonNullable<Condition[Field]> } {
  const fields = Object.entries(condition).filter(([, value]) => value !== undefined);
  if (fields.length === 0) throw new TypeError('a removal needs a condition');
  return Object.fromEntries(fields) as never;
}
