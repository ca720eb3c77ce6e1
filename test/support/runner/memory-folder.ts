import { globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';

const inMemory = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;
const prefix = 'sandpost-tests-';

/**
 * Creates a folder for what tests write: in memory if Linux has room for it, because a mongod syncs a file for each of its
 * indexes, otherwise on disk. Removed with this process, or by the next if this one is killed.
 */
export function memoryFolder(): string {
  const parent = hasRoom() ? inMemory : tmpdir();
  for (const left of globSync(`${prefix}*-*`, { cwd: parent }))
    if (!isRunning(Number(left.slice(prefix.length).split('-')[0]))) remove(path.join(parent, left));
  const folder = mkdtempSync(path.join(parent, `${prefix}${process.pid}-`));
  process.once('exit', () => remove(folder));
  return folder;
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return process.platform === 'linux' && Math.min(bavail * bsize, freemem()) >= neededBytes;
  } catch {
    return false;
  }
}
