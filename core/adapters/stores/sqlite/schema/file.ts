import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { transaction } from '#core/adapters/stores/sqlite/workers/query.ts';
import { domainPath } from '#core/domains/domain-name.ts';
import { foldText } from '#core/extraction/search-text.ts';
import { boundSummary, boundTexts } from '#core/messages/bounds.ts';
import { applicationId, migrations, schema, schemaVersion } from './schema.ts';

/** The first 100 bytes of a SQLite file (sqlite.org/fileformat.html section 1.3): what we read of them, and where. */
const header = { length: 100, magic: 'SQLite format 3\0', version: 60, application: 68 };

/**
 * Makes the file where there is none, and checks it where there is one. Throws an Error of one sentence that names a
 * file which is not ours, is damaged or was written by a newer version; such a file is not touched.
 */
export function prepareFile(file: string): void {
  checkHeader(file);
  const db = new DatabaseSync(file);
  try {
    const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
    if (version > schemaVersion) throw new Error(newer(file));
    if (version === 0) create(db);
    readRoots(db);
    if (version > 0 && version < schemaVersion) migrate(db, version);
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) {
      throw new Error(`${file} is damaged: ${error.message}`, { cause: error });
    }
    throw error;
  } finally {
    db.close();
  }
}

/** A connection to a file that `prepareFile` has passed. */
export function connect(file: string, use: 'read' | 'write'): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: use === 'read', timeout: 5000 });
  db.exec(`PRAGMA temp_store = MEMORY; PRAGMA cache_size = ${use === 'write' ? -8000 : -4000}`);
  if (use === 'write') {
    // Checkpoints every 16 MiB: each flushes pages that many commits have changed, once.
    db.exec(
      'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = 67108864',
    );
  }
  return db;
}

/** Reads the header itself: merely opening a file by SQLite may change it. */
function checkHeader(file: string): void {
  const bytes = Buffer.alloc(header.length);
  let length: number;
  try {
    const descriptor = openSync(file, 'r');
    length = readSync(descriptor, bytes);
    closeSync(descriptor);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw new Error(`${file} cannot be read`, { cause: error });
  }
  if (length === 0) return;
  const isSqlite = bytes.toString('latin1').startsWith(header.magic);
  if (length < header.length || !isSqlite) throw new Error(`${file} is damaged, or no SQLite file`);
  if (bytes.readUInt32BE(header.application) !== applicationId) {
    throw new Error(`${file} belongs to another program`);
  }
  if (bytes.readUInt32BE(header.version) > schemaVersion) throw new Error(newer(file));
}

/** All tables at once, before the journal mode: a crash in between leaves an empty file, never a strange one. */
function create(db: DatabaseSync): void {
  transaction(db, 'IMMEDIATE', () => {
    db.exec(schema);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
  });
  db.exec('PRAGMA journal_mode = WAL');
}

/** Brings an earlier version's tables up to ours, all at once. */
function migrate(db: DatabaseSync, version: number): void {
  db.function('domain_path', { deterministic: true }, (name) => domainPath(String(name)));
  db.function('fold_text', { deterministic: true }, (text) => foldText(String(text)));
  const none = { msgid: null, subject: '', fromAddress: '', fromName: null, toAddresses: [] };
  const cuts: Record<string, (text: string) => string | null> = {
    shown_text: (text) => boundTexts({ text }).text,
    shown_field: (subject) => boundSummary({ ...none, subject }).subject,
    shown_address: (fromAddress) => boundSummary({ ...none, fromAddress }).fromAddress,
    shown_addresses: (list) =>
      JSON.stringify(boundSummary({ ...none, toAddresses: JSON.parse(list) }).toAddresses),
  };
  for (const [name, cut] of Object.entries(cuts))
    db.function(name, { deterministic: true }, (value) => (value === null ? null : cut(String(value))));
  transaction(db, 'IMMEDIATE', () => {
    for (const step of migrations.slice(version - 1)) db.exec(step);
    db.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
}

/** Touches the first page of each table: a file that is cut off or overwritten shows here rather than later. */
function readRoots(db: DatabaseSync): void {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) db.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get();
}

const newer = (file: string) =>
  `${file} was written by a newer version of Sandpost: use that one, or another SANDPOST_DATA_DIR`;
