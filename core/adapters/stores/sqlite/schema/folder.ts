import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its missing parents. Throws an Error of one sentence. The recursive mkdir of Node 24 never returns if
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
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
