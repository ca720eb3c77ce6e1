import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect, dataDirectory, makeFolder } from '#adapters/stores/sqlite/schema/file.ts';

const name = 'sandpost.db';

/** Result codes of SQLite for a log that cannot be made, since the folder or the files in it are read-only. */
const readOnly = [8, 14];

/**
 * Copies the store of a data directory into another folder, in the state of one instant, while another process may go on writing
 * (sqlite.org/lang_vacuum.html, VACUUM INTO). The folder can be used as a data directory. Throws an Error of one sentence if there
 * is no store, or one in the folder already. Nothing is made if the store cannot be read.
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

/** Opens the store, beside which SQLite makes files for that. */
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
  // An earlier run may have been stopped half-way.
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
