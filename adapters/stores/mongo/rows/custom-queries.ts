import type { ClientSession } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import {
  type Collections,
  idsOf,
  type MailboxRow,
  type MemberRow,
  notDeleted,
} from '#adapters/stores/mongo/schema/rows.ts';
import type { CustomQueries, MembersWhere } from '#adapters/stores/rows/custom-queries.ts';
import type { Async } from '#adapters/stores/rows/steps.ts';
import type { Identity } from '#core/access/access.ts';
import { roleBy } from '#core/access/role.ts';
import { relatedPaths } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';
import { type Mailbox, pathKey } from '#core/mailboxes/mailbox.ts';
import { offsetOf } from '#core/page.ts';

type Within = { session?: ClientSession };

const deleted = { $set: { deleted: true } } as const;
const newestFirst = { at: -1, _id: -1 } as const;

export function mongoQueries(
  { collections, ids }: Pick<Context, 'collections' | 'ids'>,
  session?: ClientSession,
): Async<CustomQueries> {
  const { domains, accounts, failures, teamVersions, refusals } = collections;
  const within: Within = session === undefined ? {} : { session };
  return {
    ...memberQueries(collections, within),
    ...personQueries(collections, within),
    ...ownedQueries(collections, within),
    takeIds: ({ mongo }, count) => ids.take(mongo, count),
    async related(owner, name) {
      const row = await domains.findOne(relatedTo(owner, name), { ...within, projection: { name: 1 } });
      return row?.name ?? null;
    },
    async owned(what, team) {
      const counted = await countedFor(collections, team, within);
      return what === 'domains'
        ? domains.countDocuments(counted, within)
        : accounts.countDocuments(counted, within);
    },
    versions: (team) => versionsOf({ collections }, team, within),
    async renewRules(team) {
      await teamVersions.updateOne({ _id: team }, { $inc: { rules: 1 } }, within);
    },
    async renewFailures(team) {
      await teamVersions.updateOne({ _id: team }, { $inc: { failures: 1 } }, within);
      const { failures: version } = await versionsOf({ collections }, team, within);
      await domains.updateMany({ owner: team, ...notDeleted }, { $set: { failures: version } }, within);
    },
    async joinTeam(_id, team) {
      const { failures: version } = await versionsOf({ collections }, team, within);
      await domains.updateOne({ _id }, { $set: { failures: version } }, within);
    },
    async countFailures(team, now) {
      const live = failures.find({ team, expiresAt: { $gt: now } }, { ...within, projection: { key: 1 } });
      const rows = await live.sort({ _id: 1 }).toArray();
      const counts = rows.filter(({ key }) => key !== '');
      const rules = rows.length - counts.length;
      return { rules, counts: counts.length, oldestCount: counts[0]?._id ?? null };
    },
    async trimRefusals(team, most) {
      const old = await refusals.aggregate<{ _id: Id }>(oldRefusals(team, most)).toArray();
      await refusals.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    },
  };
}

/**
 * Reads the versions of a team's rules. Each of the team's domains also has the version of the failure rules, so a recipient's lookup
 * reads it there: with a `$lookup` of the team, mongod took 1.6 times as long.
 */
export async function versionsOf(
  { collections: { teamVersions } }: Pick<Context, 'collections'>,
  team: Id,
  within: Within,
): Promise<{ rules: number; failures: number }> {
  const row = await teamVersions.findOne({ _id: team }, { ...within, projection: { rules: 1, failures: 1 } });
  return { rules: row?.rules ?? 0, failures: row?.failures ?? 0 };
}

/**
 * Condition for domains or accounts that count toward a team's quotas. Includes objects that are moving to the team, because several
 * concurrent moves would otherwise exceed the quota. The owner of these is the negative of the domain's id.
 */
async function countedFor(
  { domains }: Pick<Collections, 'domains'>,
  team: Id,
  within: Within,
): Promise<{ owner: { $in: Id[] }; deleted: false }> {
  const coming = await idsOf(domains, { owner: { $lt: 0 }, 'move.to': team, ...notDeleted }, within);
  return { owner: { $in: [team, ...coming.map((id) => -id)] }, ...notDeleted };
}

/** Condition for other teams' domains above or below a name. */
function relatedTo(owner: Id, name: string) {
  const { above, below } = relatedPaths(name);
  const [$gt, $lt] = below;
  return { ...notDeleted, owner: { $ne: owner }, $or: [{ path: { $in: above } }, { path: { $gt, $lt } }] };
}

/**
 * Finds a team's refusals beyond `most`. `nth` counts an address's refusals from the newest, so the last rows belong to the address with
 * the most refusals.
 */
const oldRefusals = (team: Id, most: number) => [
  { $match: { team } },
  {
    $setWindowFields: {
      partitionBy: '$remoteAddress',
      sortBy: newestFirst,
      output: { nth: { $sum: 1, window: { documents: ['unbounded', 'current'] } } },
    },
  },
  { $sort: { nth: 1, ...newestFirst } },
  { $skip: most },
  { $project: { _id: 1 } },
];

export function memberKey(team: Id, user: Id): string {
  return `${team}/${user}`;
}

/** Memberships, with one row per member. */
function memberQueries({ members }: Collections, within: Within) {
  const toMember = ({ team, user, role, grants, joinedAt }: MemberRow) => ({
    team,
    user,
    role,
    grants,
    joinedAt,
  });
  return {
    async members({ source, ...where }: MembersWhere, page?: Parameters<typeof offsetOf>[0]) {
      const wanted = { ...where, ...(source !== undefined && { 'grants.source': source }) };
      const found = members.find(wanted, within);
      // The index of a team's members, or of a user's teams, has this order. The members of a source have no order.
      const sorted =
        source === undefined ? found.sort(where.team === undefined ? { team: 1 } : { user: 1 }) : found;
      const part = page === undefined ? sorted : sorted.skip(offsetOf(page)).limit(page.limit);
      return (await part.toArray()).map(toMember);
    },
    countMembers: (where) => members.countDocuments(where, within),
    owners: (teams) =>
      members
        .find({ team: { $in: teams }, role: 'owner' }, within)
        .map(({ team, user }) => ({ team, user }))
        .toArray(),
    async putMember(team, user, { grants, joinedAt, suspended }) {
      await members.updateOne(
        { _id: memberKey(team, user) },
        { $set: { grants, role: roleBy(grants) }, $setOnInsert: { team, user, joinedAt, suspended } },
        { ...within, upsert: true },
      );
    },
    async removeMembers(where) {
      await members.deleteMany(where, within);
    },
    async suspend(user, suspended) {
      await members.updateMany({ user }, { $set: { suspended } }, within);
    },
  } satisfies Partial<Async<CustomQueries>>;
}

function personQueries({ users, identities }: Collections, within: Within) {
  return {
    groupsOf: async (_id) => (await users.findOne({ _id }, within))?.groups ?? [],
    usersIn: (group) => idsOf(users, { groups: group }, { ...within, sort: { _id: 1 } }),
    async setGroups(_id, groups) {
      await users.updateOne({ _id }, { $set: { groups } }, within);
    },
    holderOf: async (identity) =>
      (await identities.findOne({ _id: identityKey(identity) }, within))?.userId ?? null,
    identitiesOf: (userId) =>
      identities
        .find({ userId }, within)
        .sort({ issuer: 1 })
        .map(({ _id, issuer }) => ({ issuer, subject: _id.slice(issuer.length + 1) }))
        .toArray(),
    async addIdentity(userId, identity) {
      await identities.insertOne({ _id: identityKey(identity), issuer: identity.issuer, userId }, within);
    },
    async removeIdentities(userId) {
      await identities.deleteMany({ userId }, within);
    },
  } satisfies Partial<Async<CustomQueries>>;
}

/** Returns an identity's row id. An issuer is a URL, which contains no spaces. */
function identityKey({ issuer, subject }: Identity): string {
  return `${issuer} ${subject}`;
}

export function toMailboxRow({ id, ...mailbox }: Mailbox, owner: Id): MailboxRow {
  const row = { _id: id, owner, ...mailbox, pathKey: pathKey(mailbox.path) };
  return { ...row, bytes: 0, sentCopies: 0, ...notDeleted };
}

function ownedQueries({ teams, domains, accounts, mailboxes, messages }: Collections, within: Within) {
  const hideAccounts = async (ids: Id[]) => {
    await accounts.updateMany({ _id: { $in: ids } }, deleted, within);
    await mailboxes.updateMany({ accountId: { $in: ids }, ...notDeleted }, deleted, within);
  };
  return {
    async addMailboxes(made, owner) {
      const rows = made.map((mailbox) => toMailboxRow(mailbox, owner));
      await mailboxes.insertMany(rows, within);
    },
    mailboxesWith: (ids, owner) =>
      messages
        .find({ _id: { $in: ids }, owner }, { ...within, projection: { mailboxId: 1 } })
        .map(({ _id, mailboxId }) => ({ id: _id, mailboxId }))
        .toArray(),
    async hideTeam(_id) {
      await teams.updateOne({ _id }, deleted, within);
    },
    async hideDomain(_id) {
      await domains.updateOne({ _id }, deleted, within);
      await hideAccounts(await idsOf(accounts, { domainId: _id, ...notDeleted }, within));
    },
    hideAccount: (id) => hideAccounts([id]),
    async hideMailbox(_id, account) {
      const row = await mailboxes.findOneAndUpdate({ _id }, deleted, within);
      const freed = { $inc: { usedBytes: -(row?.bytes ?? 0) }, $unset: { fullAt: '' } } as const;
      await accounts.updateOne({ _id: account }, freed, within);
    },
  } satisfies Partial<Async<CustomQueries>>;
}
