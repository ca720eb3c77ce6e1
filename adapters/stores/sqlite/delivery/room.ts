import { type StatsFs, statfsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreFull } from '#core/errors.ts';

/** Bytes that mail leaves free on the disk: enough for the log and the checkpoint of later deletions. */
const reserveBytes = 32 * 1024 * 1024;

/**
 * Throws StoreFull before the disk with `file` is completely full, because deletions also write and could not free a full disk. On a
 * small disk, a quarter stays free. Pages in the file that deletions have freed count as free.
 */
export function requireRoom(
  db: DatabaseSync,
  file: string,
  measure: (file: string) => StatsFs = statfsSync,
): void {
  const { bavail, blocks, bsize } = measure(file);
  const reserve = Math.min(reserveBytes, (blocks * bsize) / 4);
  if (bavail * bsize < reserve && bavail * bsize + freeBytes(db) < reserve) {
    throw new StoreFull("The store's disk is nearly full");
  }
}

function freeBytes(db: DatabaseSync): number {
  const pages = db.prepare('PRAGMA freelist_count').get()?.freelist_count;
  const size = db.prepare('PRAGMA page_size').get()?.page_size;
  return Number(pages) * Number(size);
}
