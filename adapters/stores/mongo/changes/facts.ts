import type { ClientSession, Collection, Document, Filter } from 'mongodb';
import { toBareAccount } from '#adapters/stores/mongo/accounts.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { countedFor } from '#adapters/stores/mongo/counters.ts';
import { relatedTo, toDomain } from '#adapters/stores/mongo/domains.ts';
import { countFailures, findFailure } from '#adapters/stores/mongo/failures.ts';
import { readMailRules } from '#adapters/stores/mongo/mail-rules.ts';
import { toMailbox } from '#adapters/stores/mongo/mailboxes.ts';
import {
  identityKey,
  toApiKey,
  toInvitation,
  toRule,
  toTeam,
  toUser,
} from '#adapters/stores/mongo/people/rows.ts';
import { readSearches } from '#adapters/stores/mongo/saved-searches.ts';
import { notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Surroundings } from '#core/access/people.ts';
import type { Facts, NewIds, Scope } from '#core/change.ts';
import type { Id } from '#core/ids.ts';

/** Readers of facts, for a transaction that has locked the team and the user. */
export type FactReaders = {
  [Name in Exclude<keyof Facts, keyof NewIds>]: (
    scope: Scope,
    session: ClientSession,
    known: Partial<Facts>,
  ) => Promise<Facts[Name]>;
};

export function createFactReaders({ collections }: Pick<Context, 'collections'>): FactReaders {
  const { teams, users, members, memberRules, invitations, apiKeys, sessions, identities } = collections;
  const { domains, accounts, mailboxes } = collections;
  const exists = async <Row extends Document>(
    collection: Collection<Row>,
    rows: Filter<Row>,
    session: ClientSession,
  ) => (await collection.countDocuments(rows, { session, limit: 1 })) > 0;
  return {
    async team({ team = 0 }, session) {
      const row = await teams.findOne({ _id: team, ...notDeleted }, { session });
      return row && toTeam(row);
    },
    async user({ user = 0 }, session) {
      const row = await users.findOne({ _id: user }, { session });
      if (row === null) return null;
      const { passwordHash, emailVerified, disabledAt, groups = [] } = row;
      return { ...toUser(row), passwordHash, emailVerified, disabledAt, groups };
    },
    async member({ team = 0, user = 0 }, session) {
      const row = await members.findOne({ team, user }, { session });
      return row && { grants: row.grants, joinedAt: row.joinedAt };
    },
    hasOtherOwner: ({ team = 0, user = 0 }, session) =>
      exists(members, { team, user: { $ne: user }, role: 'owner' }, session),
    members: ({ team = 0 }, session) => members.countDocuments({ team }, { session }),
    teams: ({ user = 0 }, session) => members.countDocuments({ user }, { session }),
    keys: ({ team: owner = 0 }, session) => apiKeys.countDocuments({ owner }, { session }),
    rules: ({ team = 0 }, session) => memberRules.countDocuments({ team }, { session }),
    invitations: ({ team = 0, now = new Date(0) }, session) =>
      invitations.countDocuments({ team, expiresAt: { $gt: now } }, { session }),
    async key({ key = 0, team: owner }, session) {
      const row = await apiKeys.findOne({ _id: key, ...(owner && { owner }) }, { session });
      const creator =
        row?.createdBy == null ? null : await users.findOne({ _id: row.createdBy }, { session });
      return row && toApiKey(row, creator && toUser(creator));
    },
    holdsIdentity: async ({ identity, user = 0 }, session) =>
      identity !== undefined && exists(identities, { _id: identityKey(identity), userId: user }, session),
    async sessions({ user: userId = 0, key: keyId = null }, session) {
      const own = sessions.find({ userId, keyId }, { session, projection: { _id: 1 } });
      return (await own.sort({ expiresAt: -1 }).toArray()).map(({ _id }) => _id);
    },
    async invitation({ invitation = 0, now = new Date(0) }, session) {
      const wanted = typeof invitation === 'string' ? { hash: invitation } : { _id: invitation };
      const row = await invitations.findOne({ ...wanted, expiresAt: { $gt: now } }, { session });
      return row && toInvitation(row);
    },
    async rule({ rule: source }, session) {
      const row = source === undefined ? null : await memberRules.findOne({ source }, { session });
      return row && toRule(row);
    },
    surroundings: ({ user = 0 }, session) => readSurroundings(collections, session, user),
    async domain({ team: owner = 0, domain = 0 }, session) {
      const named = typeof domain === 'string' ? { name: domain } : { _id: domain };
      const row = await domains.findOne({ ...named, owner, ...notDeleted }, { session });
      return row && toDomain(row);
    },
    async related({ team = 0, domain = '' }, session) {
      const wanted = relatedTo(team, String(domain));
      return (await domains.findOne(wanted, { session, projection: { name: 1 } }))?.name ?? null;
    },
    async domains({ team = 0, quota }, session) {
      if (quota === undefined) return 0;
      return domains.countDocuments(await countedFor(domains, team, session), { session });
    },
    async accounts({ team = 0, quota }, session) {
      if (quota === undefined) return 0;
      return accounts.countDocuments(await countedFor(domains, team, session), { session });
    },
    async account({ team: owner = 0, account = 0 }, session) {
      const row = await accounts.findOne({ _id: account, owner, ...notDeleted }, { session });
      return row && toBareAccount(row);
    },
    async mailboxes({ team: owner = 0, account: accountId = 0 }, session) {
      const own = mailboxes.find({ owner, accountId, ...notDeleted }, { session });
      return (await own.sort({ _id: 1 }).toArray()).map(toMailbox);
    },
    mailRules: ({ team = 0 }, session) => readMailRules({ collections }, team, session),
    failure: ({ team = 0, failure: by = 0 }, session) => findFailure({ collections }, { team, by }, session),
    failures: ({ team = 0, now = new Date(0) }, session) =>
      countFailures({ collections }, { team, now }, session),
    searches: ({ team = 0 }, session) => readSearches({ collections }, team, session),
    async rivals({ team: owner = 0, address = '' }, session, { domain, account }) {
      const domainId = domain?.id ?? account?.domainId ?? 0;
      const catchAll = { domainId, catchAll: true, ...notDeleted };
      const capture = { owner, capture: true, ...notDeleted };
      const $or = [{ address, ...notDeleted }, catchAll, capture];
      const rows = await accounts.find({ $or }, { session }).map(toBareAccount).toArray();
      return {
        address: rows.find((row) => row.address === address)?.id ?? null,
        catchAll: rows.find((row) => row.domainId === domainId && row.catchAll)?.id ?? null,
        capture: rows.find((row) => row.owner === owner && row.capture) ?? null,
      };
    },
  };
}

async function readSurroundings(
  { members, teams, users, apiKeys, accounts, invitations }: Context['collections'],
  session: ClientSession,
  user: Id,
): Promise<Surroundings> {
  const rows = await members.find({ $or: [{ team: user }, { user }] }, { session }).toArray();
  const teamIds = rows.map(({ team }) => team);
  const found = await teams.find({ _id: { $in: teamIds } }, { session }).toArray();
  const people = await users.find({ _id: { $in: rows.map((row) => row.user) } }, { session }).toArray();
  const owners = await members.find({ team: { $in: teamIds }, role: 'owner' }, { session }).toArray();
  const ofUser = (field: 'team' | 'owner') => ({ $or: [{ [field]: user }, { createdBy: user }] });
  const keys = await apiKeys.find(ofUser('owner'), { session }).toArray();
  const withPassword = { owner: user, passwordHash: { $ne: null }, ...notDeleted };
  const ownAccounts = await accounts.find(withPassword, { session }).toArray();
  const ownInvitations = await invitations.find(ofUser('team'), { session }).toArray();
  const emails = new Map(people.map(({ _id, email }) => [_id, email]));
  const byId = new Map(found.map((team) => [team._id, toTeam(team)]));
  return {
    memberships: rows.flatMap(({ team: id, user: member, grants, joinedAt }) => {
      const team = byId.get(id);
      const hasOtherOwner = owners.some((owner) => owner.team === id && owner.user !== member);
      const person = { id: member, email: emails.get(member) ?? '' };
      return team === undefined ? [] : [{ user: person, team, grants, joinedAt, hasOtherOwner }];
    }),
    keys: keys.map(({ _id: id, owner: team, name, createdBy }) => ({ id, team, name, createdBy })),
    accounts: ownAccounts.map(({ _id: id, address }) => ({ id, address })),
    invitations: ownInvitations.map(({ _id: id, team, createdBy }) => ({ id, team, createdBy })),
  };
}
