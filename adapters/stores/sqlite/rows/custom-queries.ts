import type { DatabaseSync } from 'node:sqlite';
import type { CustomQueries, MemberOf } from '#adapters/stores/rows/custom-queries.ts';
import { rankOf, roleOfRank } from '#adapters/stores/rows/table.ts';
import { isNotDeleted, softDeleteContents } from '#adapters/stores/sqlite/soft-delete.ts';
import { bit, onePage, query } from '#adapters/stores/sqlite/workers/query.ts';
import { type Grant, roleBy } from '#core/access/role.ts';
import { relatedPaths } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { offsetOf } from '#core/page.ts';

const comingDomains = 'FROM domain_move WHERE to_team = :owner';

/** Domains of a team for its quota. Domains moving to it count, because several simultaneous moves could otherwise exceed the quota. */
const countedDomains = `FROM domain INDEXED BY domain_owner
  WHERE owner IN (SELECT :owner UNION ALL SELECT -domain_id ${comingDomains}) AND deleted_at IS NULL`;

/** Accounts of a team for its quota, including those of domains moving to it. */
const countedAccounts = `FROM (
  SELECT id FROM account INDEXED BY account_owner WHERE owner = :owner AND ${isNotDeleted('account')}
  UNION ALL
  SELECT id FROM account INDEXED BY account_domain
    WHERE domain_id IN (SELECT domain_id ${comingDomains}) AND deleted_at IS NULL)`;

export function sqliteQueries(db: DatabaseSync): CustomQueries {
  const total = (sql: string) => {
    const counted = query<{ total: number }>(db, `SELECT count(*) AS total ${sql}`);
    return (bound: Record<string, string | number>) => counted.get(bound)?.total ?? 0;
  };
  const owned = { domains: total(countedDomains), accounts: total(countedAccounts) };
  const version = query<{ rules: number; failures: number }>(
    db,
    'SELECT rules, failures FROM team WHERE id = :team',
  );
  const renew = (column: string) => query(db, `UPDATE team SET ${column} = ${column} + 1 WHERE id = :team`);
  const renewRules = renew('rules');
  const renewFailures = renew('failures');
  const failures = query<{ total: number; oldest: number | null }>(
    db,
    'SELECT count(*) AS total, min(id) AS oldest FROM failure WHERE team_id = :team AND (key > :none) = :counts AND expires_at > :now',
  );
  const sequence = query<{ seq: number }>(db, 'SELECT seq FROM sqlite_sequence WHERE name = :table');
  // `nth` counts an address's refusals from the newest: the last rows belong to the address with the most refusals.
  const trimRefusals = query(
    db,
    `DELETE FROM refusal WHERE id IN (
       SELECT id FROM (
         SELECT id, at, row_number() OVER (PARTITION BY facts ->> 'remoteAddress' ORDER BY at DESC, id DESC) AS nth
         FROM refusal WHERE team_id = :team)
       ORDER BY nth, at DESC, id DESC LIMIT -1 OFFSET :most + 0)`,
  );
  return {
    ...memberQueries(db),
    ...personQueries(db),
    ...ownedQueries(db),
    takeIds({ sqlite: table }, count) {
      const last = sequence.get({ table })?.seq ?? 0;
      return Array.from({ length: count }, (_, index) => last + 1 + index);
    },
    related: relatedDomain(db),
    owned: (what, owner) => owned[what]({ owner }),
    versions: (team) => version.get({ team }) ?? { rules: 0, failures: 0 },
    renewRules: (team) => void renewRules.run({ team }),
    renewFailures: (team) => void renewFailures.run({ team }),
    // Does nothing because looking up a recipient reads the team.
    joinTeam() {},
    countFailures(team, now) {
      const of = (counts: number) => failures.get({ team, now: now.getTime(), none: '', counts });
      const counts = of(1);
      return { rules: of(0)?.total ?? 0, counts: counts?.total ?? 0, oldestCount: counts?.oldest ?? null };
    },
    trimRefusals: (team, most) => void trimRefusals.run({ team, most }),
  };
}

type GrantRow = { team: Id; user: Id; source: Grant['source']; rank: number; at: number };

/** Memberships, with a row for each grant. */
function memberQueries(db: DatabaseSync) {
  const grants = (where: string) =>
    query<GrantRow>(
      db,
      `SELECT team_id AS team, user_id AS user, source, role AS rank, at FROM membership ${where}
       ORDER BY team_id, user_id, source`,
    );
  const byUser = 'INDEXED BY membership_user WHERE user_id = :user';
  const some = (column: string, where: string) =>
    `AND ${column} IN (SELECT DISTINCT ${column} FROM membership ${where} ORDER BY ${column} ${onePage})`;
  const [ofTeam, ofUser] = ['WHERE team_id = :team', byUser];
  const own = { team: grants(ofTeam), user: grants(ofUser), both: grants(`${ofTeam} AND user_id = :user`) };
  const source = grants('WHERE source = :source');
  const page = {
    team: grants(`${ofTeam} ${some('user_id', ofTeam)}`),
    user: grants(`${ofUser} ${some('team_id', ofUser)}`),
  };
  const count = (column: string, where: string) =>
    query<{ total: number }>(db, `SELECT count(DISTINCT ${column}) AS total FROM membership ${where}`);
  const countTeam = count('user_id', ofTeam);
  const countUser = count('team_id', ofUser);
  const owners = query<{ team: Id; user: Id }>(
    db,
    `SELECT team_id AS team, user_id AS user FROM membership
     WHERE team_id IN (SELECT value FROM json_each(:teams)) AND role = ${rankOf('owner')}`,
  );
  const keepSources = query(
    db,
    `DELETE FROM membership WHERE team_id = :team AND user_id = :user
       AND source NOT IN (SELECT value FROM json_each(:sources))`,
  );
  const grant = query(
    db,
    `INSERT INTO membership (team_id, user_id, source, role, at) VALUES (:team, :user, :source, :role, :at)
     ON CONFLICT (team_id, user_id, source) DO UPDATE SET role = :role`,
  );
  const removal = (where: string) => query(db, `DELETE FROM membership WHERE ${where}`);
  const remove = {
    team: removal('team_id = :team'),
    user: removal('user_id = :user'),
    both: removal('team_id = :team AND user_id = :user'),
  };
  const scopeOf = ({ team, user }: { team?: Id; user?: Id }) =>
    team === undefined ? 'user' : user === undefined ? 'team' : 'both';
  return {
    members({ source: wanted, ...where }, part) {
      if (wanted !== undefined) return toMembers(source.all({ source: wanted }));
      const scope = scopeOf(where);
      if (part === undefined || scope === 'both') return toMembers(own[scope].all(where));
      return toMembers(page[scope].all({ ...where, limit: part.limit, offset: offsetOf(part) }));
    },
    countMembers: (where) => ('team' in where ? countTeam : countUser).get(where)?.total ?? 0,
    owners: (teams) => owners.all({ teams: JSON.stringify(teams) }),
    putMember(team, user, { grants: given, joinedAt }) {
      keepSources.run({ team, user, sources: JSON.stringify(given.map(({ source }) => source)) });
      for (const { source, role } of given)
        grant.run({ team, user, source, role: rankOf(role), at: joinedAt.getTime() });
    },
    removeMembers: (where) => void remove[scopeOf(where)].run(where),
    // Does nothing because the query for roles joins the user.
    suspend() {},
  } satisfies Partial<CustomQueries>;
}

/** Creates members from grants, ordered by team and user. */
function toMembers(rows: GrantRow[]): MemberOf[] {
  return [...Map.groupBy(rows, ({ team, user }) => `${team}/${user}`).values()].flatMap((own) => {
    const grants = own.map(({ source, rank }) => ({ source, role: roleOfRank(rank) ?? 'viewer' }));
    const joinedAt = new Date(own.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY));
    return own.slice(0, 1).map(({ team, user }) => ({ team, user, role: roleBy(grants), grants, joinedAt }));
  });
}

function personQueries(db: DatabaseSync) {
  const groups = query<{ name: string }>(db, 'SELECT name FROM user_group WHERE user_id = :user');
  const inGroup = query<{ user: Id }>(
    db,
    'SELECT user_id AS user FROM user_group WHERE name = :group ORDER BY user_id',
  );
  const removeGroups = query(db, 'DELETE FROM user_group WHERE user_id = :user');
  const addGroup = query(db, 'INSERT INTO user_group (user_id, name) VALUES (:user, :name)');
  const holder = query<{ user: Id }>(
    db,
    'SELECT user_id AS user FROM identity WHERE issuer = :issuer AND subject = :subject',
  );
  const identities = query<{ issuer: string; subject: string }>(
    db,
    'SELECT issuer, subject FROM identity WHERE user_id = :user ORDER BY issuer',
  );
  const addIdentity = query(
    db,
    'INSERT INTO identity (issuer, subject, user_id) VALUES (:issuer, :subject, :user)',
  );
  const removeIdentities = query(db, 'DELETE FROM identity WHERE user_id = :user');
  return {
    groupsOf: (user) => groups.all({ user }).map(({ name }) => name),
    usersIn: (group) => inGroup.all({ group }).map(({ user }) => user),
    setGroups(user, names) {
      removeGroups.run({ user });
      for (const name of names) addGroup.run({ user, name });
    },
    holderOf: (identity) => holder.get(identity)?.user ?? null,
    identitiesOf: (user) => identities.all({ user }),
    addIdentity: (user, identity) => void addIdentity.run({ ...identity, user }),
    removeIdentities: (user) => void removeIdentities.run({ user }),
  } satisfies Partial<CustomQueries>;
}

export function ownedQueries(db: DatabaseSync) {
  const addMailbox = query(
    db,
    `INSERT INTO mailbox (id, owner, domain_id, account_id, path, path_key, system, created_at)
     SELECT :id, owner, domain_id, id, :path, :key, :system, :at FROM account WHERE id = :account`,
  );
  const places = query<{ id: Id; mailboxId: Id }>(
    db,
    `SELECT id, mailbox_id AS mailboxId FROM message
     WHERE id IN (SELECT value FROM json_each(:ids)) AND owner = :owner`,
  );
  const hide = (table: string) => {
    const marked = query(db, `UPDATE ${table} SET deleted_at = :at WHERE id = :id`);
    return (id: Id, now: Date) => void marked.run({ id, at: now.getTime() });
  };
  const hideMailbox = hide('mailbox');
  const hideAccount = hide('account');
  const contents = softDeleteContents(db);
  const freed = query(
    db,
    `UPDATE account SET used_bytes = used_bytes - (SELECT bytes FROM mailbox WHERE id = :id), full_at = NULL
     WHERE id = :account`,
  );
  return {
    addMailboxes(mailboxes) {
      for (const { id, accountId: account, path, system, createdAt } of mailboxes) {
        const at = createdAt.getTime();
        addMailbox.run({ id, account, path, key: pathKey(path), system: bit(system), at });
      }
    },
    mailboxesWith: (ids, owner) => places.all({ ids: JSON.stringify(ids), owner }),
    hideTeam: hide('team'),
    // Marks only the domain, which hides its accounts and mailboxes. Upkeep marks those later.
    hideDomain: hide('domain'),
    hideAccount(id, now) {
      hideAccount(id, now);
      contents.ofAccount(id, now.getTime());
    },
    hideMailbox(id, account, now) {
      freed.run({ id, account });
      hideMailbox(id, now);
    },
  } satisfies Partial<CustomQueries>;
}

function relatedDomain(db: DatabaseSync): (owner: Id, name: string) => string | null {
  const notDeleted = 'deleted_at IS NULL';
  const found = query<{ name: string }>(
    db,
    `SELECT name FROM domain WHERE ${notDeleted} AND path IN (SELECT value FROM json_each(:above)) AND owner <> :owner
     UNION ALL
     SELECT name FROM domain WHERE ${notDeleted} AND path > :after AND path < :before AND owner <> :owner
     LIMIT 1`,
  );
  return (owner, name) => {
    const { above, below } = relatedPaths(name);
    const [after, before] = below;
    return found.get({ owner, above: JSON.stringify(above), after, before })?.name ?? null;
  };
}
