import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Holds the data directory for this process alone: a lock on a file that the kernel takes back when the process dies,
 * however it does. Throws an Error where another process holds it.
 */
export function lockDirectory(dataDir: string): { release(): void } {
  const lock = openLock(dataDir);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Error(`another process uses the data directory ${dataDir}; stop it first`, { cause: error });
  }
  return { release: () => lock.close() };
}

function openLock(dataDir: string): DatabaseSync {
  try {
    return new DatabaseSync(path.join(dataDir, 'sandpost.lock'));
  } catch (error) {
    throw new Error(`nothing can be written into the data directory ${dataDir} (SANDPOST_DATA_DIR)`, {
      cause: error,
    });
  }
}
