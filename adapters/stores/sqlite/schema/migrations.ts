import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '#adapters/stores/sqlite/workers/query.ts';
import { type KnownVersions, type Migration, planUpgrade, type Upgrade } from '#adapters/stores/version.ts';
import { listColumns } from './schema.ts';

/** Version of the tables that `schema.ts` creates. The file header stores it as `user_version`. */
const oldest = 15;

/** Returns the statements that add the traits to a list index. */
function rebuiltIndex(column: string): string {
  const name = `message_${column.replace('_id', '')}`;
  return `DROP INDEX ${name}; CREATE INDEX ${name} ON message (${column}, ${listColumns}, traits);`;
}

type SqliteMigration = Migration & { sql: string };

/**
 * Table migrations, in order. Each takes only a moment, however many rows exist. They add columns that the INSERT statements of earlier
 * programs omit, and tables and indexes that those programs do not name. `fill` completes the rows later.
 */
const migrations: SqliteMigration[] = [
  {
    to: 16,
    adds: "each message's code, link and counted bytes",
    // `code` is NULL in unfilled rows, and empty for an email without a code. `counted_bytes` is NULL if it equals `size_bytes`.
    sql: `
ALTER TABLE message ADD COLUMN code TEXT;
ALTER TABLE message ADD COLUMN main_link TEXT;
ALTER TABLE message ADD COLUMN counted_bytes INTEGER;
CREATE INDEX message_unfilled ON message (id) WHERE code IS NULL;
`,
  },
  {
    to: 17,
    adds: 'domains that are moving to another team',
    // `active`: whether the domain is active when not moving. `shift`: increase of its messages' numbers. `newest`: the team's newest
    // number at the end.
    sql: `
CREATE TABLE domain_move (
  domain_id INTEGER PRIMARY KEY, from_team INTEGER NOT NULL, to_team INTEGER NOT NULL, active INTEGER NOT NULL,
  shift INTEGER NOT NULL, newest INTEGER NOT NULL
) STRICT;
`,
  },
  {
    to: 18,
    adds: 'the time when an account became full',
    sql: `
ALTER TABLE account ADD COLUMN full_at INTEGER;
CREATE INDEX account_full ON account (owner, full_at) WHERE full_at IS NOT NULL AND deleted_at IS NULL;
`,
  },
  {
    to: 19,
    adds: 'audit log entries that represent several',
    sql: `
ALTER TABLE audit_entry ADD COLUMN more INTEGER;
CREATE INDEX audit_entry_kind ON audit_entry (team_id, actor, action, at);
`,
  },
  {
    to: 20,
    adds: 'saved searches',
    sql: `
CREATE TABLE saved_search (
  id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL, name TEXT NOT NULL, q TEXT NOT NULL
) STRICT;
CREATE INDEX saved_search_team ON saved_search (team_id, id);
`,
  },
  {
    to: 21,
    adds: 'events that cover several messages',
    // `message_ids` is a JSON list, or NULL for an event about a single message.
    sql: 'ALTER TABLE event ADD COLUMN message_ids TEXT;',
  },
  {
    to: 22,
    adds: 'message tags, and indexed facts for frequent searches',
    // `traits` is NULL in unfilled rows. `tags` is NULL if there are none. The rebuilt indexes keep their names because they also serve
    // earlier programs.
    sql: `
ALTER TABLE message ADD COLUMN traits INTEGER;
ALTER TABLE message ADD COLUMN keys TEXT;
ALTER TABLE message ADD COLUMN tags TEXT;
CREATE INDEX message_untraited ON message (id) WHERE traits IS NULL;
${['mailbox_id', 'account_id', 'owner'].map(rebuiltIndex).join('')}
`,
  },
  {
    to: 23,
    adds: "a domain's assumed client address",
    sql: 'ALTER TABLE domain ADD COLUMN assumed_client_ip TEXT;',
  },
  {
    to: 24,
    adds: 'mail rules',
    // `words` is the JSON of the fields that a member sets in the rule. `team.rules` is the version of the team's rules.
    sql: `
CREATE TABLE mail_rule (
  id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL, position INTEGER NOT NULL, words TEXT NOT NULL,
  matched INTEGER NOT NULL DEFAULT 0, discarded INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX mail_rule_team ON mail_rule (team_id, position, id);
ALTER TABLE team ADD COLUMN rules INTEGER NOT NULL DEFAULT 0;
`,
  },
  {
    to: 25,
    adds: 'an index of tagged messages',
    sql: 'CREATE INDEX message_tagged ON message (owner, number) WHERE tags IS NOT NULL;',
  },
  {
    to: 26,
    adds: 'simulated failures',
    // `words` is the JSON of the fields that a member sets in the failure. `key` is empty for a failure rule. `team.failures` is
    // the version of the team's failure rules.
    sql: `
CREATE TABLE failure (
  id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL, key TEXT NOT NULL, words TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, hits INTEGER NOT NULL, attempts TEXT NOT NULL,
  window_since INTEGER, window_count INTEGER NOT NULL
) STRICT;
CREATE INDEX failure_team ON failure (team_id, key, id, expires_at);
CREATE INDEX failure_expiry ON failure (expires_at);
ALTER TABLE team ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN simulates_failures INTEGER NOT NULL DEFAULT 0;
`,
  },
  {
    to: 27,
    adds: 'refused mail',
    // `facts` is the JSON of a refusal's fields other than its team and time.
    sql: `
CREATE TABLE refusal (
  id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL, at INTEGER NOT NULL, facts TEXT NOT NULL
) STRICT;
CREATE INDEX refusal_team ON refusal (team_id, at, id);
CREATE INDEX refusal_age ON refusal (at);
`,
  },
  {
    to: 28,
    adds: 'share links',
    // Links to a message or to an account. `hash` is the SHA-256 of the link's secret.
    sql: `
CREATE TABLE share (
  id INTEGER PRIMARY KEY AUTOINCREMENT, team_id INTEGER NOT NULL, message_id INTEGER, account_id INTEGER, name TEXT NOT NULL,
  created_by INTEGER, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, opened_at INTEGER, hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX share_team ON share (team_id, id);
CREATE INDEX share_creator ON share (created_by);
CREATE INDEX share_expiry ON share (expires_at);
ALTER TABLE team ADD COLUMN allows_shares INTEGER NOT NULL DEFAULT 1;
`,
  },
  {
    to: 29,
    adds: 'API keys limited to accounts',
    // JSON list of the account ids. NULL for a key that is not limited to accounts.
    sql: 'ALTER TABLE api_key ADD COLUMN account_ids TEXT;',
  },
  {
    to: 30,
    adds: "a team's choice of mail clients",
    // JSON list of the clients' names. NULL for all clients.
    sql: 'ALTER TABLE team ADD COLUMN clients TEXT;',
  },
];

export const known: KnownVersions<SqliteMigration> = { oldest, migrations };

/** Reads the migration path from a file's version to this program's version. */
export function upgradeOf(db: DatabaseSync): {
  needs: number;
  upgrade: Upgrade<SqliteMigration> | 'newer' | 'older';
} {
  const needs = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'").get();
  const applied =
    table === undefined ? [] : db.prepare('SELECT version FROM migration ORDER BY version').all();
  const versions = applied.map(({ version }) => Number(version));
  return { needs, upgrade: planUpgrade({ needs, applied: versions }, known) };
}

/**
 * Applies missing migrations in one transaction. `user_version` stays unchanged: it is the version of the oldest program that works with
 * the file, and earlier programs compare it with their own version.
 */
export function applyMigrations(db: DatabaseSync, missing: SqliteMigration[]): void {
  if (missing.length === 0) return;
  transaction(db, 'IMMEDIATE', () => {
    db.exec(
      'CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT',
    );
    const note = db.prepare('INSERT INTO migration (version, applied_at) VALUES (?, ?)');
    for (const { to, sql } of missing) {
      db.exec(sql);
      note.run(to, Date.now());
    }
  });
}
