import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its missing parents, and checks that this process may write into it and into the store's files there,
 * which SQLite would open for reading alone. Throws an Error of one sentence. The recursive mkdir of Node 24 never returns if
 * an existing folder answers ENOENT, as /proc does.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  try {
    for (const at of missing) makeOne(at);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? `: ${error.code}` : '';
    throw new Error(`the data directory ${folder} (SANDPOST_DATA_DIR) cannot be made${why}`, {
      cause: error,
    });
  }
  if (!statSync(folder).isDirectory()) {
    throw new Error(`the data directory ${folder} (SANDPOST_DATA_DIR) is a file`);
  }
  requireWritable(folder, folder);
  for (const name of readdirSync(folder)) {
    if (name.startsWith('sandpost.')) requireWritable(folder, path.join(folder, name));
  }
}

function requireWritable(folder: string, file: string): void {
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT') return;
    const what = file === folder ? 'is' : `has a file ${path.basename(file)} that is`;
    const whose = code === 'EROFS' ? 'on a read-only file system' : 'read-only for this user';
    throw new Error(`the data directory ${folder} (SANDPOST_DATA_DIR) ${what} ${whose}`, { cause: error });
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
