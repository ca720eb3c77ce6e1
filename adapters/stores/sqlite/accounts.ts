import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, date, pages, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Account, AccountConflict, AccountStore } from '#core/accounts/account.ts';
import type { Id } from '#core/ids.ts';
import { pathKey, systemMailboxes } from '#core/mailboxes/mailbox.ts';
import { mailboxesByAccount } from './mailboxes.ts';
import { countedAccounts, quotaCheck } from './quota.ts';
import { isNotDeleted, softDeleteContents } from './soft-delete.ts';

type BareAccount = Omit<Account, 'mailboxes'>;
export type AccountReads = Sync<
  Pick<AccountStore, 'list' | 'listManaged' | 'find' | 'findCapture' | 'listFull'>
>;
export type AccountWrites = Sync<Pick<AccountStore, 'insert' | 'update' | 'markFull' | 'softDelete'>>;

type Row = {
  id: number;
  owner: number;
  domain_id: number;
  address: string;
  active: number;
  catch_all: number;
  capture: number;
  storage_limit: number;
  used_bytes: number;
  full_at: number | null;
  managed_by: string | null;
  created_at: number;
  updated_at: number;
};

const columns = `id, owner, domain_id, address, active, catch_all, capture, storage_limit, used_bytes, full_at,
  managed_by, created_at, updated_at`;
const notDeleted = isNotDeleted('account');

function toAccount(row: Row): BareAccount {
  return {
    id: row.id,
    owner: row.owner,
    domainId: row.domain_id,
    address: row.address,
    active: row.active === 1,
    catchAll: row.catch_all === 1,
    capture: row.capture === 1,
    storageLimit: row.storage_limit,
    usedBytes: row.used_bytes,
    fullAt: date(row.full_at),
    managedBy: row.managed_by,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

export function accountReads(db: DatabaseSync): AccountReads {
  const mailboxesOf = mailboxesByAccount(db);
  const byId = query<Row>(
    db,
    `SELECT ${columns} FROM account WHERE id = :id AND owner = :owner AND ${notDeleted}`,
  );
  const managed = query<Row>(
    db,
    `SELECT ${columns} FROM account WHERE managed_by IS NOT NULL AND ${notDeleted}`,
  );
  const capturing = query<Pick<Row, 'address'>>(
    db,
    `SELECT address FROM account WHERE owner = :owner AND capture = 1 AND ${notDeleted}`,
  );
  const full = (where: string) => {
    const from = `FROM account INDEXED BY account_full WHERE ${where} AND full_at IS NOT NULL AND ${notDeleted}`;
    return pages(
      db,
      { columns: 'id, address', from, order: 'owner, full_at' },
      (row: Pick<Row, 'id' | 'address'>) => row,
    );
  };
  const [fullOfAll, fullOf] = [full('true'), full('owner = :owner')];
  const others = `(:domain IS NULL OR domain_id = :domain) AND (:active IS NULL OR active = :active)`;
  const matching = {
    // The index covers both filters, because a team may have 10,000 accounts.
    all: `FROM account INDEXED BY account_owner WHERE owner = :owner AND ${notDeleted} AND ${others}`,
    address: `FROM account INDEXED BY account_address
      WHERE address = :address AND owner = :owner AND ${notDeleted} AND ${others}`,
  };
  const lists = {
    all: pages(db, { columns, from: matching.all, order: 'id' }, toAccount),
    // An address has one account that is not deleted.
    address: pages(db, { columns, from: matching.address, order: 'domain_id' }, toAccount),
  };
  const withMailboxes = (accounts: BareAccount[]): Account[] => {
    const mailboxes = mailboxesOf(accounts.map(({ id }) => id));
    return accounts.map((account) => ({ ...account, mailboxes: mailboxes.get(account.id) ?? [] }));
  };
  return {
    list(owner, { domainId, address, active }, page) {
      const others = { domain: domainId ?? null, active: active === undefined ? null : bit(active) };
      const wanted = { owner, ...others, ...(address === undefined ? {} : { address }) };
      const { items, total } = lists[address === undefined ? 'all' : 'address'](page, wanted);
      return { items: withMailboxes(items), total };
    },
    listManaged: () => managed.all().map(toAccount),
    findCapture: (owner) => capturing.get({ owner })?.address ?? null,
    listFull: (owner, page) => (owner === null ? fullOfAll(page) : fullOf(page, { owner })),
    find(owner, id) {
      const row = byId.get({ owner, id });
      return row === undefined ? null : (withMailboxes([toAccount(row)])[0] ?? null);
    },
  };
}

export function accountWrites(db: DatabaseSync): AccountWrites {
  const { find, findCapture } = accountReads(db);
  const contents = softDeleteContents(db);
  const domain = query(
    db,
    'SELECT id FROM domain WHERE id = :domain AND owner = :owner AND deleted_at IS NULL',
  );
  const byAddress = query(
    db,
    'SELECT id FROM account WHERE address = :address AND domain_id = :domain AND deleted_at IS NULL',
  );
  const catchAll = query<{ id: number }>(
    db,
    `SELECT id FROM account WHERE domain_id = :domain AND catch_all = 1 AND ${notDeleted}`,
  );
  const checkQuota = quotaCheck(db, countedAccounts);
  const insert = query(
    db,
    `INSERT INTO account (owner, domain_id, address, active, catch_all, capture, storage_limit, password_hash, managed_by,
       created_at, updated_at)
     VALUES (:owner, :domain, :address, :active, :catchAll, :capture, :storageLimit, :passwordHash, :managedBy, :at, :at)`,
  );
  const insertMailbox = query(
    db,
    `INSERT INTO mailbox (owner, domain_id, account_id, path, path_key, system, created_at)
     VALUES (:owner, :domain, :account, :path, :key, 1, :at)`,
  );
  const update = query(
    db,
    `UPDATE account SET active = :active, catch_all = :catchAll, capture = :capture, storage_limit = :storageLimit,
       full_at = iif(storage_limit = :storageLimit, full_at, NULL), managed_by = :managedBy, password_hash = coalesce(:passwordHash, password_hash), updated_at = :at WHERE id = :id`,
  );
  const markFull = query(
    db,
    `UPDATE account SET full_at = coalesce(full_at, :at) WHERE id = :id AND owner = :owner AND ${notDeleted}`,
  );
  const softDelete = query(
    db,
    `UPDATE account SET deleted_at = :at WHERE id = :id AND owner = :owner AND ${notDeleted}`,
  );
  const catchAllTaken = (domainId: Id, by: Id | null): AccountConflict | null => {
    const holder = catchAll.get({ domain: domainId });
    return holder === undefined || holder.id === by ? null : 'catch-all-taken';
  };
  const captureTaken = (owner: Id, by: string): AccountConflict | null =>
    [null, by].includes(findCapture(owner)) ? null : 'capture-taken';
  return {
    insert(owner, account, quota) {
      const { domainId, address, storageLimit, passwordHash, managedBy } = account;
      const at = account.createdAt.getTime();
      if (domain.get({ owner, domain: domainId }) === undefined) return null;
      if (byAddress.get({ address, domain: domainId }) !== undefined) return 'address-taken';
      const conflict =
        (account.catchAll ? catchAllTaken(domainId, null) : null) ??
        (account.capture ? captureTaken(owner, account.address) : null);
      if (conflict !== null) return conflict;
      checkQuota({ owner }, quota);
      const { active, catchAll, capture } = account;
      const flags = { active: bit(active), catchAll: bit(catchAll), capture: bit(capture) };
      const row = { owner, domain: domainId, address, storageLimit, passwordHash, managedBy, at };
      const { id } = insert.run({ ...row, ...flags });
      for (const path of systemMailboxes) {
        insertMailbox.run({ owner, domain: domainId, account: id, path, key: pathKey(path), at });
      }
      return find(owner, id);
    },
    update(owner, id, change, now) {
      const before = find(owner, id);
      if (before === null) return null;
      const after = { ...before, ...change };
      const conflict =
        (after.catchAll ? catchAllTaken(before.domainId, id) : null) ??
        (after.capture ? captureTaken(owner, after.address) : null);
      if (conflict !== null) return conflict;
      const { active, catchAll, capture } = after;
      const flags = { active: bit(active), catchAll: bit(catchAll), capture: bit(capture) };
      const { storageLimit, managedBy } = after;
      update.run({
        id,
        ...flags,
        storageLimit,
        managedBy,
        passwordHash: change.passwordHash ?? null,
        at: now.getTime(),
      });
      return find(owner, id);
    },
    markFull(owner, id, at) {
      markFull.run({ owner, id, at: at.getTime() });
    },
    softDelete(owner, id, now) {
      if (softDelete.run({ owner, id, at: now.getTime() }).changes === 0) return false;
      contents.ofAccount(id, now.getTime());
      return true;
    },
  };
}
