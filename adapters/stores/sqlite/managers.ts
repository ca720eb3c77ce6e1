import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { ManagedKind, ManagerStore } from '#core/managers/manager.ts';
import type { LeaseStore } from '#core/store.ts';

export type ManagerReads = Sync<Pick<ManagerStore, 'claims' | 'orphans'>>;
export type ManagerWrites = Sync<Pick<ManagerStore, 'claim' | 'markOrphan'>>;

export function managerReads(db: DatabaseSync): ManagerReads {
  const claims = query<{ owner: number; cluster: string }>(db, 'SELECT owner, cluster FROM claim');
  const orphans = query<{ owner: number; kind: ManagedKind; id: number; since: number }>(
    db,
    'SELECT owner, kind, id, since FROM orphan',
  );
  return {
    claims: () => new Map(claims.all().map(({ owner, cluster }) => [owner, cluster])),
    orphans: () => orphans.all().map(({ since, ...rest }) => ({ ...rest, since: new Date(since) })),
  };
}

export function managerWrites(db: DatabaseSync): ManagerWrites {
  const claim = query(
    db,
    'INSERT INTO claim (owner, cluster) VALUES (:owner, :cluster) ON CONFLICT (owner) DO NOTHING',
  );
  const claimed = query<{ cluster: string }>(db, 'SELECT cluster FROM claim WHERE owner = :owner');
  const note = query(
    db,
    `INSERT INTO orphan (kind, id, owner, since) VALUES (:kind, :id, :owner, :since)
     ON CONFLICT (kind, id) DO NOTHING`,
  );
  const forget = query(db, 'DELETE FROM orphan WHERE kind = :kind AND id = :id');
  return {
    claim(owner, cluster) {
      claim.run({ owner, cluster });
      return claimed.get({ owner })?.cluster ?? cluster;
    },
    markOrphan({ owner, kind, id }, since) {
      if (since === null) forget.run({ kind, id });
      else note.run({ owner, kind, id, since: since.getTime() });
    },
  };
}

/** Leases in memory. One process at a time can open this store, so no lease has to outlive it. */
export function createLeases(): LeaseStore {
  const held = new Map<string, { holder: string; until: number }>();
  return {
    async claim(name, holder, ttlMs, now) {
      const lease = held.get(name);
      const free = lease === undefined || lease.holder === holder || lease.until <= now.getTime();
      if (free) held.set(name, { holder, until: now.getTime() + ttlMs });
      return free;
    },
    async release(name, holder) {
      if (held.get(name)?.holder === holder) held.delete(name);
    },
  };
}
