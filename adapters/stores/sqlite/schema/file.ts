import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { transaction } from '#adapters/stores/sqlite/workers/query.ts';
import { planUpgrade, refusalOf, type Upgrade } from '#adapters/stores/version.ts';
import { applyMigrations, known, upgradeOf } from './migrations.ts';
import { applicationId, schema } from './schema.ts';

/**
 * SQLite file header (sqlite.org/fileformat.html section 1.3): its length in bytes, its initial text, and the offsets of the
 * fields read here.
 */
const header = { length: 100, magic: 'SQLite format 3\0', version: 60, application: 68 };

const full = 13;

/**
 * Creates the file if it is missing. Otherwise checks it, and applies missing migrations. Throws a one-sentence Error that names the file
 * if it belongs to another program, is damaged, or has an unsupported version. Leaves such a file untouched.
 */
export function prepareFile(file: string): void {
  checkHeader(file);
  const db = new DatabaseSync(file);
  try {
    if (db.prepare('PRAGMA user_version').get()?.user_version === 0) create(db);
    const { missing } = usable(db, file);
    readRoots(db);
    applyMigrations(db, missing);
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) {
      if (error.errcode === full)
        throw new Error(`not enough disk space to migrate ${file}`, { cause: error });
      throw new Error(`${file} is damaged: ${error.message}`, { cause: error });
    }
    throw error;
  } finally {
    db.close();
  }
}

/**
 * Reads the migration path from a file's version to this program's version, even while another process uses the file. Null for a missing
 * file.
 */
export function readUpgrade(file: string): Upgrade | null {
  checkHeader(file);
  if (!existsSync(file) || statSync(file).size === 0) return null;
  // If there is no log, nobody is using the file. SQLite would create a log even for reading.
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(url, { readOnly: true, timeout: 5000 });
  try {
    return usable(db, file);
  } finally {
    db.close();
  }
}

/** Returns the migration path from a file's version to this program's version. Throws a one-sentence Error if there is none. */
function usable(db: DatabaseSync, file: string): ReturnType<typeof upgradeOf>['upgrade'] & object {
  const { needs, upgrade } = upgradeOf(db);
  if (typeof upgrade === 'string') throw new Error(refusal(upgrade, file, needs));
  return upgrade;
}

/** Opens a connection to a file that `prepareFile` has checked. */
export function connect(file: string, use: 'read' | 'write'): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: use === 'read', timeout: 5000 });
  db.exec(`PRAGMA temp_store = MEMORY; PRAGMA cache_size = ${use === 'write' ? -8000 : -4000}`);
  if (use === 'write') {
    // Sets a checkpoint every 16 MiB, so a page that many commits have changed is flushed once.
    db.exec(
      'PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = 67108864',
    );
  }
  return db;
}

/** Reads the header itself because merely opening a file with SQLite may change it. */
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
  if (length < header.length || !isSqlite) throw new Error(`${file} is damaged or not a SQLite file`);
  if (bytes.readUInt32BE(header.application) !== applicationId) {
    throw new Error(`${file} belongs to another program`);
  }
  const needs = bytes.readUInt32BE(header.version);
  const upgrade = planUpgrade({ needs, applied: [] }, known);
  if (typeof upgrade === 'string') throw new Error(refusal(upgrade, file, needs));
}

/**
 * Creates all tables in one transaction, before setting the journal mode. A crash in between leaves an empty file, never a partial one.
 */
function create(db: DatabaseSync): void {
  transaction(db, 'IMMEDIATE', () => {
    db.exec(schema);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${known.oldest}`);
  });
  db.exec('PRAGMA journal_mode = WAL');
}

/** Reads each table's first page to find a truncated or overwritten file now rather than later. */
function readRoots(db: DatabaseSync): void {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) db.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get();
}

function refusal(reason: 'newer' | 'older', file: string, needs: number): string {
  return refusalOf(reason, file, { needs, known, another: 'SANDPOST_DATA_DIR' });
}

export const dataDirectory = (folder: string) => `the data directory ${folder} (SANDPOST_DATA_DIR)`;

/**
 * Creates a folder and its missing parents, and requires the folder to be writable. `called` is what a sentence calls the folder. Throws
 * a one-sentence Error. Node 24's recursive mkdir never returns if an existing folder responds with ENOENT, as /proc does.
 */
export function makeFolder(folder: string, called: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  try {
    for (const at of missing) makeOne(at);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? `: ${error.code}` : '';
    throw new Error(`${called} cannot be created${why}`, { cause: error });
  }
  requireWritable(folder, called);
}

/**
 * Requires that this process may write to a folder and to the store's files in it, which SQLite would otherwise open read-only. Throws a
 * one-sentence Error that names the folder as `called`.
 */
export function requireWritable(folder: string, called: string): void {
  if (!statSync(folder).isDirectory()) throw new Error(`${called} is a file, not a folder`);
  checkAccess(folder, `${called} is`);
  for (const name of readdirSync(folder)) {
    if (name.startsWith('sandpost.'))
      checkAccess(path.join(folder, name), `${called} contains the file ${name}, which is`);
  }
}

function checkAccess(file: string, subject: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT') return;
    const whose = code === 'EROFS' ? 'on a read-only file system' : 'read-only for this user';
    throw new Error(`${subject} ${whose}`, { cause: error });
  }
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Locks the data directory for this process with a file lock, which the kernel releases however the process dies. Throws an Error
 * if another process holds the lock.
 */
export function lockDirectory(dataDir: string): { release(): void } {
  const lock = openLock(dataDir);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Error(`another process is using the data directory ${dataDir}: stop it first`, {
      cause: error,
    });
  }
  return { release: () => lock.close() };
}

function openLock(dataDir: string): DatabaseSync {
  try {
    return new DatabaseSync(path.join(dataDir, 'sandpost.lock'));
  } catch (error) {
    throw new Error(`cannot write to the data directory ${dataDir} (SANDPOST_DATA_DIR)`, {
      cause: error,
    });
  }
}
