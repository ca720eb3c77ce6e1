import type { DatabaseSync } from 'node:sqlite';
import type { Account, AccountConflict, AccountStore } from '#core/accounts/account.ts';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { bit, query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { pathKey, systemMailboxes } from '#core/mailboxes/mailbox.ts';
import { offsetOf } from '#core/page.ts';
import { buryContents } from './bury.ts';
import { mailboxesByAccount } from './mailboxes.ts';
import { quota } from './quota.ts';

export type AccountReads = Sync<Pick<AccountStore, 'list' | 'listManaged' | 'find'>>;
export type AccountWrites = Sync<Pick<AccountStore, 'insert' | 'update' | 'bury'>>;

type Row = {
  id: number;
  owner: number;
  domain_id: number;
  address: string;
  active: number;
  catch_all: number;
  storage_limit: number;
  used_bytes: number;
  managed_by: string | null;
  created_at: number;
  updated_at: number;
};

const columns = `id, owner, domain_id, address, active, catch_all, storage_limit, used_bytes, managed_by, created_at,
  updated_at`;
const living = 'buried_at IS NULL';

function toAccount(row: Row): Omit<Account, 'mailboxes'> {
  return {
    id: row.id,
    owner: row.owner,
    domainId: row.domain_id,
    address: row.address,
    active: row.active === 1,
    catchAll: row.catch_all === 1,
    storageLimit: row.storage_limit,
    usedBytes: row.used_bytes,
    managedBy: row.managed_by,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

export function accountReads(db: DatabaseSync): AccountReads {
  const mailboxesOf = mailboxesByAccount(db);
  const byId = query<Row>(
    db,
    `SELECT ${columns} FROM account WHERE id = :id AND owner = :owner AND ${living}`,
  );
  const managed = query<Row>(db, `SELECT ${columns} FROM account WHERE managed_by IS NOT NULL AND ${living}`);
  const matching = `FROM account INDEXED BY account_owner WHERE owner = :owner AND ${living}
    AND (:domain IS NULL OR domain_id = :domain) AND (:address IS NULL OR address = :address)
    AND (:active IS NULL OR active = :active)`;
  const list = query<Row>(db, `SELECT ${columns} ${matching} ORDER BY id LIMIT :limit OFFSET :offset`);
  const count = query<{ total: number }>(db, `SELECT count(*) AS total ${matching}`);
  const withMailboxes = (rows: Row[]): Account[] => {
    const mailboxes = mailboxesOf(rows.map((row) => row.id));
    return rows.map((row) => ({ ...toAccount(row), mailboxes: mailboxes.get(row.id) ?? [] }));
  };
  return {
    list(owner, { domainId, address, active }, page) {
      const filter = { domain: domainId ?? null, address: address ?? null };
      const wanted = { owner, ...filter, active: active === undefined ? null : bit(active) };
      const rows = list.all({ ...wanted, limit: page.limit, offset: offsetOf(page) });
      return { items: withMailboxes(rows), total: count.get(wanted)?.total ?? 0 };
    },
    listManaged: () => managed.all().map(toAccount),
    find(owner, id) {
      const row = byId.get({ owner, id });
      return row === undefined ? null : (withMailboxes([row])[0] ?? null);
    },
  };
}

export function accountWrites(db: DatabaseSync): AccountWrites {
  const { find } = accountReads(db);
  const contents = buryContents(db);
  const domain = query(db, `SELECT id FROM domain WHERE id = :domain AND owner = :owner AND ${living}`);
  const byAddress = query(db, `SELECT id FROM account WHERE address = :address AND ${living}`);
  const catchAll = query<{ id: number }>(
    db,
    `SELECT id FROM account WHERE domain_id = :domain AND catch_all = 1 AND ${living}`,
  );
  const checkQuota = quota(db, `FROM account INDEXED BY account_owner WHERE owner = :owner AND ${living}`);
  const insert = query(
    db,
    `INSERT INTO account (owner, domain_id, address, active, catch_all, storage_limit, password_hash, managed_by,
       created_at, updated_at)
     VALUES (:owner, :domain, :address, :active, :catchAll, :storageLimit, :passwordHash, :managedBy, :at, :at)`,
  );
  const insertMailbox = query(
    db,
    `INSERT INTO mailbox (owner, account_id, path, path_key, system, created_at)
     VALUES (:owner, :account, :path, :key, 1, :at)`,
  );
  const update = query(
    db,
    `UPDATE account SET active = :active, catch_all = :catchAll, storage_limit = :storageLimit,
       password_hash = coalesce(:passwordHash, password_hash), updated_at = :at WHERE id = :id`,
  );
  const bury = query(
    db,
    `UPDATE account SET buried_at = :at WHERE id = :id AND owner = :owner AND ${living}`,
  );
  const catchAllTaken = (domainId: Id, by: Id | null): AccountConflict | null => {
    const holder = catchAll.get({ domain: domainId });
    return holder === undefined || holder.id === by ? null : 'catch-all-taken';
  };
  return {
    insert(owner, account, most) {
      const { domainId, address, storageLimit, passwordHash, managedBy } = account;
      const at = account.createdAt.getTime();
      if (domain.get({ owner, domain: domainId }) === undefined) return null;
      if (byAddress.get({ address }) !== undefined) return 'address-taken';
      const conflict = account.catchAll ? catchAllTaken(domainId, null) : null;
      if (conflict !== null) return conflict;
      checkQuota({ owner }, most);
      const flags = { active: bit(account.active), catchAll: bit(account.catchAll) };
      const row = { owner, domain: domainId, address, storageLimit, passwordHash, managedBy, at };
      const { id } = insert.run({ ...row, ...flags });
      for (const path of systemMailboxes) {
        insertMailbox.run({ owner, account: id, path, key: pathKey(path), at });
      }
      return find(owner, id);
    },
    update(owner, id, change, now) {
      const before = find(owner, id);
      if (before === null) return null;
      const after = { ...before, ...change };
      const conflict = after.catchAll ? catchAllTaken(before.domainId, id) : null;
      if (conflict !== null) return conflict;
      const flags = { active: bit(after.active), catchAll: bit(after.catchAll) };
      const { storageLimit } = after;
      update.run({
        id,
        ...flags,
        storageLimit,
        passwordHash: change.passwordHash ?? null,
        at: now.getTime(),
      });
      return find(owner, id);
    },
    bury(owner, id, now) {
      if (bury.run({ owner, id, at: now.getTime() }).changes === 0) return false;
      contents.ofAccount(id, now);
      return true;
    },
  };
}
