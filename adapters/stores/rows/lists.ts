import type { UserRecord } from '#core/access/access.ts';
import type { Id } from '#core/ids.ts';
import { type Page, pageOf as partOf, type Slice } from '#core/page.ts';
import type { Lists } from '#core/reads.ts';
import type { Share } from '#core/shares/share.ts';
import { byId, present, withEmails } from './facts.ts';
import { failureOf, keysWith, same, sharesOf, toInvitation, toShare } from './nouns.ts';
import { all, customQuery, pageOf, type Steps } from './steps.ts';
import type { UserRow } from './tables.ts';
import * as tables from './tables.ts';

type Listers = {
  [Name in keyof Lists]: (where: Lists[Name]['where'], page: Page) => Steps<Slice<Lists[Name]['item']>>;
};

const newestFirst = { order: ['-id'] } satisfies { order: ['-id'] };
const sharedHint = { sqlite: 'team_shared', mongo: { deleted: 1, kind: 1, _id: 1 } } as const;
const fullHint = { sqlite: 'account_full', mongo: { owner: 1, fullAt: 1 } } as const;
/** Order of the audit log by the index that each store has. */
export const latest = { sqlite: ['-id' as const], mongo: ['-at' as const, '-id' as const] };

const listers: Listers = {
  users: (_, page) => pageOf(tables.users, {}, page, byId, recordOf),
  *apiKeys({ team: owner }, page) {
    const { items, total } = yield* pageOf(tables.apiKeys, { owner }, page, newestFirst, same);
    return { items: yield* keysWith(items), total };
  },
  teams: ({ personal }, page) =>
    personal
      ? pageOf(tables.teams, {}, page, byId, same)
      : pageOf(tables.teams, { kind: { not: 'personal' } }, page, { ...byId, hint: sharedHint }, same),
  *teamsOf({ user }, page) {
    const rows = yield* customQuery('members', { user }, page);
    const found = yield* all(tables.teams, { id: { in: rows.map(({ team }) => team) } });
    const known = new Map(found.map((team) => [team.id, team]));
    const items = rows.flatMap(({ team: id, role, grants }) => {
      const team = known.get(id);
      return team === undefined ? [] : [{ ...team, role, grants }];
    });
    return { items, total: yield* customQuery('countMembers', { user }) };
  },
  *members({ team }, page) {
    const items = yield* withEmails(yield* customQuery('members', { team }, page));
    return { items, total: yield* customQuery('countMembers', { team }) };
  },
  invitations: ({ team, now }, page) =>
    pageOf(tables.invitations, { team, expiresAt: { above: now } }, page, newestFirst, toInvitation),
  domains: ({ team: owner, name, active }, page) =>
    pageOf(tables.domains, { owner, name, active }, page, byId, same),
  fullAccounts({ team }, page) {
    const wanted = { ...(team !== null && { owner: team }), fullAt: present };
    const order: ('owner' | 'fullAt')[] = ['owner', 'fullAt'];
    return pageOf(tables.accounts, wanted, page, { order, hint: fullHint }, ({ id, address }) => ({
      id,
      address,
    }));
  },
  failures: ({ team, now, id }, page) =>
    pageOf(tables.failures, { team, key: '', id, expiresAt: { above: now } }, page, byId, failureOf),
  *shares({ now, ...where }, page) {
    const { items, total } = yield* sharesIn(where, now, page);
    const found = yield* all(tables.users, {
      id: { in: items.flatMap(({ createdBy }) => createdBy ?? []) },
    });
    const emails = new Map(found.map(({ id, email }) => [id, email]));
    return {
      items: items.map((share) => ({ ...share, creator: emails.get(share.createdBy ?? 0) ?? null })),
      total,
    };
  },
  refusals: ({ team, after, id }, page) =>
    pageOf(
      tables.refusals,
      { team, at: { above: after }, id },
      page,
      { order: ['-at', '-id'] },
      ({ facts, ...row }) => ({ ...facts, ...row }),
    ),
  auditLog: ({ team }, page) =>
    pageOf(tables.auditLog, { team }, page, { order: latest }, ({ more, ...entry }) => ({
      ...entry,
      ...(more !== null && { more }),
    })),
};

function* sharesIn(where: { team: Id } | { hash: string }, now: Date, page: Page): Steps<Slice<Share>> {
  if ('hash' in where)
    return yield* pageOf(tables.shares, { ...where, expiresAt: { above: now } }, page, newestFirst, toShare);
  return partOf((yield* sharesOf(where.team, now)).live, page);
}

export function listNamed<Name extends keyof Lists>(
  name: Name,
  where: Lists[Name]['where'],
  page: Page,
): Steps<Slice<Lists[Name]['item']>> {
  return listers[name](where, page);
}

export function recordOf({ id, email, createdAt, ...rest }: UserRow): UserRecord {
  return { user: { id, email, createdAt }, ...rest };
}
