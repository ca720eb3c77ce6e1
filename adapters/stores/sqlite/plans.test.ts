import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { readFacts } from '#adapters/stores/rows/facts.ts';
import { readMoveState } from '#adapters/stores/rows/nouns.ts';
import { smallReads, smallWrites } from '#adapters/stores/rows/ports.ts';
import { runSync, type Steps } from '#adapters/stores/rows/steps.ts';
import { writeRows } from '#adapters/stores/rows/writes.ts';
import { bodyReads } from '#adapters/stores/sqlite/bodies/bodies.ts';
import { deliveryReads } from '#adapters/stores/sqlite/delivery/deliveries.ts';
import { messageList, tagCounts } from '#adapters/stores/sqlite/messages/message-list.ts';
import { messageReader } from '#adapters/stores/sqlite/messages/message-rows.ts';
import { messageSearch } from '#adapters/stores/sqlite/messages/message-search.ts';
import { callerReads } from '#adapters/stores/sqlite/people/callers.ts';
import { rowDriver } from '#adapters/stores/sqlite/rows/driver.ts';
import { storeWrites } from '#adapters/stores/sqlite/workers/writes.ts';
import type { Write } from '#core/change.ts';
import type { Domain } from '#core/domains/domain.ts';
import { unverified } from '#core/domains/verdict.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import { parseQuery } from '#core/query/parse.ts';
import { searching } from '#test/support/stores/searching.ts';
import { journalReads } from './journal.ts';
import { openSqliteStore } from './open.ts';

/**
 * Parts of statements that may scan a whole table, because the table is inherently small, or because they run once a minute or only for
 * an administrator.
 */
const mayScan = [
  'FROM team WHERE head > 0',
  'FROM sqlite_sequence',
  'INDEXED BY team_shared',
  'INDEXED BY team_deleted',
  'FROM team WHERE deleted_at IS NULL',
  'FROM domain_move',
  'FROM account INDEXED BY account_full WHERE full_at',
  'FROM user ORDER BY id',
  'SELECT count(*) FROM user',
  'INDEXED BY message_tagged',
];

/** Parts of statements that may sort: the messages that one request names, and a full team's refusals, about 1,000 each. */
const maySort = ['FROM json_each(?) wanted', 'DELETE FROM refusal'];

/** Writes whose statements depend on their conditions. */
const removals: Write[] = [
  ...[{ team: 1 }, { team: 1, user: 1 }, { user: 1 }].map(
    (where): Write => ({ do: 'remove-members', where }),
  ),
  ...[{ ids: [1] }, { team: 1 }, { createdBy: 1 }, { team: 1, createdBy: 1 }, { team: 1, ids: [1] }].flatMap(
    (where): Write[] => [
      { do: 'end-keys', where },
      { do: 'end-invitations', where },
      { do: 'end-shares', where },
    ],
  ),
  { do: 'set-key', key: 1, set: { scope: 'read', expiresAt: null } },
  { do: 'remove-rules', where: { source: 'a/b' } },
  { do: 'remove-rules', where: { team: 1 } },
  { do: 'remove-searches', where: { id: 1 } },
  { do: 'remove-searches', where: { team: 1 } },
  { do: 'put-search', team: 1, search: { id: 1, name: 'a', q: 'b' } },
  { do: 'end-sessions', hashes: ['a'] },
  { do: 'end-sessions-of', user: 1, ofKeys: true },
  { do: 'remove-user', user: 1 },
  { do: 'remove-passwords', accounts: [1] },
  { do: 'set-domain', domain: 1, set: { active: true, updatedAt: new Date(0) } },
  { do: 'set-account', account: 1, set: { active: true, updatedAt: new Date(0) }, room: true },
  { do: 'delete-account', account: 1, now: new Date(0) },
  { do: 'rename-mailbox', mailbox: 1, path: 'Old' },
  { do: 'delete-mailbox', mailbox: 1, account: 1, now: new Date(0) },
  { do: 'delete-team', team: 1, now: new Date(0) },
  { do: 'set-share', share: 1, set: { openedAt: new Date(0) } },
  { do: 'set-team', team: 1, set: { name: 'a', allowsShares: false, clients: null } },
  { do: 'set-user', user: 1, set: { passwordHash: null, groups: [] } },
  { do: 'put-member', team: 1, user: 1, grants: [], joinedAt: new Date(0), suspended: false },
];

/** Reads and writes of small nouns whose statements depend on the request. */
function readsOfRows(): Steps<unknown>[] {
  const page = { page: 2, limit: 10 };
  const at = new Date(1000);
  const { rows, users, teams, domains, accounts, mailboxes } = smallReads;
  const identity = { issuer: 'https://id.test', subject: 'a' };
  const scope = {
    team: 1,
    user: 1,
    key: 1,
    identity,
    rule: 'a/b',
    account: 1,
    address: 'a@b',
    share: 1,
    quota: 1,
  } as const;
  const facts = [
    ...([
      'team',
      'user',
      'member',
      'hasOtherOwner',
      'members',
      'teams',
      'keys',
      'rules',
      'invitations',
    ] as const),
    ...([
      'key',
      'holdsIdentity',
      'sessions',
      'rule',
      'surroundings',
      'domain',
      'related',
      'domains',
    ] as const),
    ...(['accounts', 'account', 'mailboxes', 'rivals', 'searches', 'mailRules', 'failures'] as const),
    ...(['share', 'shares'] as const),
  ];
  const named = ['domain', 'invitation', 'failure'] as const;
  const aDomain: Domain = {
    ...{ id: 1, owner: 1, name: 'a.test', active: true, verification: unverified(at), managedBy: null },
    ...{ assumedClientIp: null, createdAt: at, updatedAt: at },
  };
  const entry = { team: 1, actor: 'a', action: 'team.renamed', target: 'b', remoteAddress: null } as const;
  return [
    ...[users.find({ email: 'a' }), users.find({ identity }), rows.list('users', {}, page)],
    rows.list('apiKeys', { team: 1 }, page),
    rows.read('managedKeys', { team: 1 }),
    rows.read('managedKeys', { team: 1, manager: 'a/b' }),
    rows.read('credentials', { team: 1 }),
    rows.read('identities', { user: 1 }),
    teams.find(1),
    teams.find({ managed: 'a' }),
    rows.list('teams', {}, page),
    rows.list('teams', { personal: true }, page),
    rows.list('teamsOf', { user: 1 }, page),
    rows.list('members', { team: 1 }, page),
    rows.read('member', { team: 1, user: 1 }),
    rows.list('invitations', { team: 1, now: at }, page),
    rows.read('invitation', { invitation: 'a', now: at }),
    rows.read('memberRules', {}),
    rows.read('memberRules', { rule: 'a/b' }),
    rows.read('ruleGrants', { user: 1 }),
    rows.read('ruleGrants', { rule: 'a/b' }),
    rows.list('domains', { team: 1 }, page),
    rows.list('domains', { team: 1, name: 'a', active: true }, page),
    rows.read('managedDomains', {}),
    rows.read('domain', { team: 1, domain: 1 }),
    rows.read('domain', { team: 1, domain: 'a' }),
    rows.read('isFree', { team: 1, domain: 'a' }),
    domains.dueForCheck(at, 1, [2]),
    ...[accounts.list(1, {}, page), accounts.list(1, { domainId: 1, active: false }, page)],
    accounts.list(1, { address: 'a@b', active: true }, page),
    rows.list('fullAccounts', { team: null }, page),
    rows.list('fullAccounts', { team: 1 }, page),
    rows.read('managedAccountsWithMailboxes', {}),
    accounts.find(1, 1),
    ...[accounts.findCapture(1), mailboxes.list(1, 1, page), mailboxes.find(1, 1, 1)],
    rows.read('searches', { team: 1 }),
    rows.read('mailRules', { team: 1 }),
    rows.read('versionedFailures', { team: 1 }),
    rows.list('failures', { team: 1, now: at }, page),
    rows.list('failures', { team: 1, now: at, id: 1 }, page),
    ...[rows.list('auditLog', { team: 1 }, page), rows.list('refusals', { team: 1, after: at }, page)],
    ...[rows.list('shares', { team: 1, now: at }, page), rows.list('shares', { hash: 'a', now: at }, page)],
    smallWrites.apiKeys.touch(1, at),
    ...[smallWrites.sessions.extend('a', at), smallWrites.sessions.remove('a')],
    ...[smallWrites.domains.writeVerdict(1, null, unverified(at)), smallWrites.accounts.markFull(1, 1, at)],
    smallWrites.auditLog.record([{ ...entry, at }], { most: 1, mostAnHour: 0 }),
    ...[1, 'a'].map((by) =>
      readFacts(named, { ...scope, domain: by, invitation: by, failure: by, now: at }, {}),
    ),
    readFacts(facts, { ...scope, now: at }, {}),
    readMoveState(aDomain, 2),
  ];
}

test('no statement scans a table or sorts in memory', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-plans-'));
  await (await openSqliteStore({ dataDir })).close();
  const db = new DatabaseSync(path.join(dataDir, 'sandpost.db'));
  const statements = record(db);
  const visibility = { now: new Date(), receivedAfter: new Date(0) };

  storeWrites(db, () => {});
  const run = rowDriver(db);
  runSync(writeRows(removals), run);
  for (const steps of readsOfRows()) runSync(steps, run);
  for (const reads of [bodyReads, deliveryReads, journalReads, messageReader, callerReads, tagCounts])
    reads(db);
  messageList(db, 5000);
  const { slice } = messageSearch(db, 5000);
  const places: MessageFilter[] = [{}, { accountId: 1 }, { mailboxId: 1 }, { mailboxPath: 'Sent' }];
  for (const place of places) {
    for (const q of ['tag:a', 'tag:a OR address:b', 'trace:a', 'has:code -is:read']) {
      slice(1, filterWith(place, parseQuery(q)), visibility, null, 50);
    }
    for (const words of [[], ['a', 'b']]) {
      slice(
        1,
        { ...place, ...searching({ words, to: 'x', from: 'y', subject: 'z' }), after: 3 },
        visibility,
        null,
        50,
      );
    }
  }

  assert.ok(statements.size > 80, `${statements.size} statements`);
  for (const sql of [...statements]) {
    const plan = explain(db, sql).join('\n');
    const allowed = mayScan.some((part) => sql.includes(part));
    // json_each reads a list parameter, and a subquery has its own plan.
    const scans = plan
      .split('\n')
      .filter(
        (line) => /^SCAN (?!json_each|\(subquery-|\S+ VIRTUAL)/.test(line) && line !== 'SCAN CONSTANT ROW',
      );
    assert.ok(allowed || scans.length === 0, `${sql}\n${plan}`);
    const sorts = /TEMP B-TREE FOR (ORDER BY|GROUP BY|DISTINCT)/.test(plan);
    assert.ok(!sorts || maySort.some((part) => sql.includes(part)), `${sql}\n${plan}`);
    assert.doesNotMatch(sql, /LIMIT \?(?! \+)/, 'a statement that SQLite plans anew at each call');
  }
  db.close();
  rmSync(dataDir, { recursive: true });
});

test('lists by flags are skipped and counted by index entries alone', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-plans-'));
  await (await openSqliteStore({ dataDir })).close();
  const db = new DatabaseSync(path.join(dataDir, 'sandpost.db'));
  const statements = record(db);
  messageList(db, 5000);
  const counts = [...statements].filter((sql) => sql.includes('SELECT sum((SELECT count(*) FROM message m'));
  const pages = [...statements].filter((sql) => sql.includes('LIMIT ?'));
  assert.deepEqual([counts.length, pages.length], [3, 3]);
  for (const sql of counts) {
    assert.match(sql, /is_read.*is_flagged.*has_attachments/s);
    assert.match(explain(db, sql).join('\n'), /SEARCH m USING COVERING INDEX message_mailbox/, sql);
  }
  for (const sql of pages) {
    const [index] = [...sql.matchAll(/INDEXED BY (message_\w+)/g)].map(([, name]) => name);
    const columns = db.prepare('SELECT name FROM pragma_index_info(?)').all(index ?? '');
    const flags = ['copy', 'is_read', 'is_flagged', 'has_attachments', 'traits'];
    assert.deepEqual(columns.map(({ name }) => name).slice(-5), flags, sql);
  }
  db.close();
  rmSync(dataDir, { recursive: true });
});

/** Records each statement that is prepared from now on. */
function record(db: DatabaseSync): Set<string> {
  const statements = new Set<string>();
  const prepare = db.prepare.bind(db);
  db.prepare = (sql, options) => {
    statements.add(sql);
    return prepare(sql, options);
  };
  return statements;
}

function explain(db: DatabaseSync, sql: string): string[] {
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  return rows.map(({ detail }) => String(detail));
}
