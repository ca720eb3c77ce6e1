import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Names the data directory in a sentence. */
export const dataDirectory = (folder: string) => `the data directory ${folder} (SANDPOST_DATA_DIR)`;

/**
 * Creates a folder and its missing parents, and requires it to be writable. `called` names it in a sentence. Throws an Error of one
 * sentence. The recursive mkdir of Node 24 never returns if an existing folder answers ENOENT, as /proc does.
 */
export function makeFolder(folder: string, called: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  try {
    for (const at of missing) makeOne(at);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? `: ${error.code}` : '';
    throw new Error(`${called} cannot be made${why}`, { cause: error });
  }
  requireWritable(folder, called);
}

/**
 * Checks that this process may write into a folder and into the store's files there, which SQLite would open for reading alone.
 * Throws an Error of one sentence, in which `called` names the folder.
 */
export function requireWritable(folder: string, called: string): void {
  if (!statSync(folder).isDirectory()) throw new Error(`${called} is a file`);
  checkAccess(folder, `${called} is`);
  for (const name of readdirSync(folder)) {
    if (name.startsWith('sandpost.'))
      checkAccess(path.join(folder, name), `${called} has a file ${name} that is`);
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
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
