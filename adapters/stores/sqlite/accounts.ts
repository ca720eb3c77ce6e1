import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, date, pages, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Account, AccountStore } from '#core/accounts/account.ts';
import { mailboxesByAccount } from './mailboxes.ts';
import { isNotDeleted } from './soft-delete.ts';

type BareAccount = Omit<Account, 'mailboxes'>;
export type AccountReads = Sync<
  Pick<AccountStore, 'list' | 'listManaged' | 'find' | 'findCapture' | 'listFull'>
>;
export type AccountWrites = Sync<Pick<AccountStore, 'markFull'>>;

type Row = {
  id: number;
  owner: number;
  domain_id: number;
  address: string;
  active: number;
  catch_all: number;
  capture: number;
  simulates_failures: number;
  storage_limit: number;
  used_bytes: number;
  full_at: number | null;
  managed_by: string | null;
  created_at: number;
  updated_at: number;
};

const columns = `id, owner, domain_id, address, active, catch_all, capture, simulates_failures, storage_limit,
  used_bytes, full_at, managed_by, created_at, updated_at`;
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
    simulatesFailures: row.simulates_failures === 1,
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
  const markFull = query(
    db,
    `UPDATE account SET full_at = coalesce(full_at, :at) WHERE id = :id AND owner = :owner AND ${notDeleted}`,
  );
  return {
    markFull(owner, id, at) {
      markFull.run({ owner, id, at: at.getTime() });
    },
  };
}
