import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect } from './schema/file.ts';
import { makeFolder } from './schema/folder.ts';

const name = 'sandpost.db';

/**
 * Copies the store of a data directory into another folder, in the state of one instant, while another process may go on writing
 * (sqlite.org/lang_vacuum.html, VACUUM INTO). The folder can be used as a data directory. Throws an Error of one sentence if there
 * is no store, or one in the folder already.
 */
export function backUpSqlite(dataDir: string, folder: string): void {
  const source = path.join(dataDir, name);
  if (!existsSync(source)) throw new Error(`there is no store in ${dataDir} (SANDPOST_DATA_DIR)`);
  makeFolder(folder);
  const target = path.join(folder, name);
  if (existsSync(target)) throw new Error(`${target} is there already: name an empty folder`);
  const part = `${target}.part`;
  // An earlier run may have been stopped half-way.
  rmSync(part, { force: true });
  const db = connect(source, 'read');
  try {
    db.prepare('VACUUM INTO ?').run(part);
  } finally {
    db.close();
  }
  const copy = new DatabaseSync(part);
  copy.exec('PRAGMA journal_mode = WAL');
  copy.close();
  renameSync(part, target);
}
