import type { DatabaseSync } from 'node:sqlite';
import { accountReads } from '#adapters/stores/sqlite/accounts.ts';
import { domainReads, relatedDomain } from '#adapters/stores/sqlite/domains.ts';
import { failureFacts } from '#adapters/stores/sqlite/failures.ts';
import { mailRuleReads } from '#adapters/stores/sqlite/mail-rules.ts';
import { type RuleRow, ruleColumns, toRule } from '#adapters/stores/sqlite/people/member-rules.ts';
import {
  type GrantRow,
  grantColumns,
  type InvitationRow,
  invitationColumns,
  type KeyRow,
  keyColumns,
  keySource,
  rankOf,
  toApiKey,
  toInvitation,
  toMember,
  toUser,
  type UserRow,
} from '#adapters/stores/sqlite/people/rows.ts';
import { teamReads } from '#adapters/stores/sqlite/people/teams.ts';
import { countedAccounts, countedDomains } from '#adapters/stores/sqlite/quota.ts';
import { savedSearchReads } from '#adapters/stores/sqlite/saved-searches.ts';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { date, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Person, Surroundings } from '#core/access/people.ts';
import type { TeamKind } from '#core/access/role.ts';
import type { Facts, Rivals, Scope } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';

/** Reads the facts that a change needs, in the caller's transaction. */
export function factReader(db: DatabaseSync): (needs: readonly (keyof Facts)[], scope: Scope) => Facts {
  const teams = teamReads(db);
  const users = personReader(db);
  const surroundings = surroundingsReader(db);
  const lastId = query<{ seq: number }>(db, 'SELECT seq FROM sqlite_sequence WHERE name = :table');
  const newId = (table: string) => (lastId.get({ table })?.seq ?? 0) + 1;
  const counter = (from: string) => {
    const count = query<{ total: number }>(db, `SELECT count(*) AS total FROM ${from}`);
    return ({ team, user, now }: Scope, ...names: ('team' | 'user' | 'now')[]) => {
      const bound = { team: team ?? 0, user: user ?? 0, now: now?.getTime() ?? 0 };
      return count.get(Object.fromEntries(names.map((name) => [name, bound[name]])))?.total ?? 0;
    };
  };
  const members = counter('(SELECT DISTINCT user_id FROM membership WHERE team_id = :team)');
  const teamsOf = counter('(SELECT DISTINCT team_id FROM membership WHERE user_id = :user)');
  const keys = counter('api_key WHERE owner = :team');
  const rules = counter('member_rule WHERE team_id = :team');
  const invitations = counter('invitation WHERE team_id = :team AND expires_at > :now');
  const otherOwners = counter(
    `membership WHERE team_id = :team AND user_id <> :user AND role = ${rankOf('owner')}`,
  );
  const grants = query<GrantRow>(
    db,
    `SELECT ${grantColumns} FROM membership m WHERE m.team_id = :team AND m.user_id = :user ORDER BY m.source`,
  );
  const key = query<KeyRow>(
    db,
    `SELECT ${keyColumns} ${keySource} WHERE k.id = :key AND k.owner = ifnull(:team, k.owner)`,
  );
  const holder = query<{ user_id: number }>(
    db,
    'SELECT user_id FROM identity WHERE issuer = :issuer AND subject = :subject',
  );
  const sessions = query<{ hash: string }>(
    db,
    'SELECT hash FROM session WHERE user_id = :user AND key_id IS :key ORDER BY expires_at DESC',
  );
  const invitation = (column: string) =>
    query<InvitationRow>(
      db,
      `SELECT ${invitationColumns} FROM invitation i WHERE i.${column} = :value AND i.expires_at > :now`,
    );
  const [byHash, byId] = [invitation('hash'), invitation('id')];
  const rule = query<RuleRow>(db, `SELECT ${ruleColumns} FROM member_rule r WHERE r.source = :rule`);
  const domains = domainReads(db);
  const related = relatedDomain(db);
  const accounts = accountReads(db);
  const rivals = rivalsReader(db);
  const searches = savedSearchReads(db);
  const mailRules = mailRuleReads(db);
  const failures = failureFacts(db);
  const owned = (from: string) => {
    const count = query<{ total: number }>(db, `SELECT count(*) AS total ${from}`);
    return ({ team: owner = 0, quota }: Scope) =>
      quota === undefined ? 0 : (count.get({ owner })?.total ?? 0);
  };
  const read: { [Name in keyof Facts]: (scope: Scope, known: Partial<Facts>) => Facts[Name] } = {
    newTeam: () => newId('team'),
    newKey: () => newId('api_key'),
    newInvitation: () => newId('invitation'),
    newRule: () => newId('member_rule'),
    newDomain: () => newId('domain'),
    newAccount: () => newId('account'),
    newMailbox: () => newId('mailbox'),
    newSearch: () => newId('saved_search'),
    newMailRule: () => newId('mail_rule'),
    newFailure: () => newId('failure'),
    newMailboxes: () => systemMailboxes.map((_, index) => newId('mailbox') + index),
    team: ({ team = 0 }) => teams.find(team),
    user: ({ user = 0 }) => users(user),
    member({ team = 0, user = 0 }) {
      const rows = grants.all({ team, user });
      return rows.length === 0 ? null : toMember(rows);
    },
    hasOtherOwner: (scope) => otherOwners(scope, 'team', 'user') > 0,
    members: (scope) => members(scope, 'team'),
    teams: (scope) => teamsOf(scope, 'user'),
    keys: (scope) => keys(scope, 'team'),
    rules: (scope) => rules(scope, 'team'),
    invitations: (scope) => invitations(scope, 'team', 'now'),
    key({ key: id = 0, team = null }) {
      const row = key.get({ key: id, team });
      return row === undefined ? null : toApiKey(row);
    },
    holdsIdentity: ({ identity, user }) => identity !== undefined && holder.get(identity)?.user_id === user,
    sessions: ({ user = 0, key: id = null }) => sessions.all({ user, key: id }).map(({ hash }) => hash),
    invitation({ invitation: value = 0, now }) {
      const found = typeof value === 'string' ? byHash : byId;
      const row = found.get({ value, now: now?.getTime() ?? 0 });
      return row === undefined ? null : toInvitation(row);
    },
    rule({ rule: source = '' }) {
      const row = rule.get({ rule: source });
      return row === undefined ? null : toRule(row);
    },
    surroundings: ({ user = 0 }) => surroundings(user),
    domain: ({ team = 0, domain = 0 }) => domains.find(team, domain),
    related: ({ team = 0, domain = '' }) => related(team, String(domain)),
    domains: owned(countedDomains),
    accounts: owned(countedAccounts),
    account: ({ team = 0, account = 0 }) => accounts.find(team, account),
    mailboxes: ({ team = 0, account = 0 }) => accounts.find(team, account)?.mailboxes ?? [],
    rivals: ({ team = 0, address = '' }, { domain, account }) =>
      rivals({ owner: team, address, domain: domain?.id ?? account?.domainId ?? 0 }),
    searches: ({ team = 0 }) => searches.list(team),
    mailRules: ({ team = 0 }) => mailRules.read(team).rules,
    failure: ({ team = 0, failure = 0 }) => failures.find(team, failure),
    failures: ({ team = 0, now = new Date(0) }) => failures.count(team, now),
  };
  return (needs, scope) => {
    const known: Partial<Facts> = {};
    for (const name of needs) Object.assign(known, { [name]: read[name](scope, known) });
    return known as Facts;
  };
}

function rivalsReader(db: DatabaseSync): (of: { owner: Id; address: string; domain: Id }) => Rivals {
  const account = (where: string) =>
    query<{ id: number; address: string }>(
      db,
      `SELECT id, address FROM account WHERE ${where} AND ${isNotDeleted('account')}`,
    );
  const byAddress = account('address = :address AND domain_id = :domain');
  const catchAll = account('domain_id = :domain AND catch_all = 1');
  const capture = account('owner = :owner AND capture = 1');
  return ({ owner, address, domain }) => ({
    address: byAddress.get({ address, domain })?.id ?? null,
    catchAll: catchAll.get({ domain })?.id ?? null,
    capture: capture.get({ owner }) ?? null,
  });
}

function personReader(db: DatabaseSync): (user: number) => Person | null {
  type Row = UserRow & { passwordHash: string | null; verified: number; disabled: number | null };
  const user = query<Row>(
    db,
    `SELECT id, email, created_at, password_hash AS passwordHash, email_verified AS verified, disabled_at AS disabled
     FROM user WHERE id = :user`,
  );
  const groups = query<{ name: string }>(db, 'SELECT name FROM user_group WHERE user_id = :user');
  return (id) => {
    const row = user.get({ user: id });
    if (row === undefined) return null;
    return {
      ...toUser(row),
      passwordHash: row.passwordHash,
      emailVerified: row.verified === 1,
      disabledAt: date(row.disabled),
      groups: groups.all({ user: id }).map(({ name }) => name),
    };
  };
}

function surroundingsReader(db: DatabaseSync): (user: number) => Surroundings {
  type MemberRow = GrantRow & {
    team: number;
    name: string;
    kind: TeamKind;
    user: number;
    email: string;
    shared: number;
  };
  type OwnedRow = { id: number; team: number; createdBy: number | null };
  const grants = query<MemberRow>(
    db,
    `SELECT m.team_id AS team, t.name, t.kind, m.user_id AS user, u.email, ${grantColumns},
       EXISTS (SELECT 1 FROM membership o WHERE o.team_id = m.team_id AND o.user_id <> m.user_id
         AND o.role = ${rankOf('owner')}) AS shared
     FROM membership m JOIN team t ON t.id = m.team_id JOIN user u ON u.id = m.user_id
     WHERE m.team_id = :user OR m.user_id = :user`,
  );
  const keys = query<OwnedRow & { name: string }>(
    db,
    'SELECT id, owner AS team, name, created_by AS createdBy FROM api_key WHERE owner = :user OR created_by = :user',
  );
  const accounts = query<{ id: number; address: string }>(
    db,
    `SELECT id, address FROM account INDEXED BY account_owner
     WHERE owner = :user AND password_hash IS NOT NULL AND ${isNotDeleted('account')}`,
  );
  const invitations = query<OwnedRow>(
    db,
    'SELECT id, team_id AS team, created_by AS createdBy FROM invitation WHERE team_id = :user OR created_by = :user',
  );
  return (user) => ({
    memberships: [...Map.groupBy(grants.all({ user }), (row) => `${row.team}/${row.user}`).values()].flatMap(
      (own) =>
        own.slice(0, 1).map(({ team: id, name, kind, user: member, email, shared }) => ({
          user: { id: member, email },
          team: { id, name, kind },
          ...toMember(own),
          hasOtherOwner: shared === 1,
        })),
    ),
    keys: keys.all({ user }),
    accounts: accounts.all({ user }),
    invitations: invitations.all({ user }),
  });
}
