import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';

const inMemory = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

/**
 * Makes a folder for what tests write: in memory where Linux has room for it, as a mongod syncs a file for each of its indexes,
 * otherwise on the disk. Removed with this process.
 */
export function memoryFolder(): string {
  const folder = mkdtempSync(path.join(hasRoom() ? inMemory : tmpdir(), 'sandpost-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return process.platform === 'linux' && Math.min(bavail * bsize, freemem()) >= neededBytes;
  } catch {
    return false;
  }
}
