import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect, dataDirectory, makeFolder } from '#adapters/stores/sqlite/schema/file.ts';

const name = 'sandpost.db';

/** SQLite result codes if the log cannot be created because the folder or its files are read-only. */
const readOnly = [8, 14];

/**
 * Copies a data directory's store into another folder, in the state at one instant, while another process may continue writing
 * (sqlite.org/lang_vacuum.html, VACUUM INTO). The folder can be used as a data directory. Throws a one-sentence Error if there is no
 * store, or if the folder already contains one. Creates nothing if the store cannot be read.
 */
export function backUpSqlite(dataDir: string, folder: string): void {
  const source = path.join(dataDir, name);
  if (!existsSync(source)) throw new Error(`${dataDir} (SANDPOST_DATA_DIR) contains no store`);
  const db = openSource(dataDir, source);
  try {
    makeFolder(folder, `the folder ${folder}`);
    const target = path.join(folder, name);
    if (existsSync(target)) throw new Error(`${target} already exists: choose an empty folder`);
    copyInto(db, target);
  } finally {
    db.close();
  }
}

/** Opens the store, for which SQLite creates files next to it. */
function openSource(dataDir: string, source: string): DatabaseSync {
  try {
    return connect(source, 'read');
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && readOnly.includes(Number(error.errcode) & 255)))
      throw error;
    const sentence = `${dataDirectory(dataDir)} must be writable by this user, because SQLite creates files in it to read the store`;
    throw new Error(sentence, { cause: error });
  }
}

function copyInto(db: DatabaseSync, target: string): void {
  const part = `${target}.part`;
  // Removes what an earlier run that was stopped halfway may have left.
  rmSync(part, { force: true });
  try {
    db.prepare('VACUUM INTO ?').run(part);
    const copy = new DatabaseSync(part);
    copy.exec('PRAGMA journal_mode = WAL');
    copy.close();
    renameSync(part, target);
  } finally {
    rmSync(part, { force: true });
  }
}
