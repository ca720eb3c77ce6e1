import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Locks the data directory for this process alone. The lock is one on a file, which the kernel releases when the process
 * dies in any way. Throws an Error if another process has the lock.
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
