import { createBatchLoader } from '#adapters/stores/mongo/cache/read-cache.ts';
import { fullHint } from '#adapters/stores/mongo/schema/indexes.ts';
import { type AccountRow, type MailboxRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Account, AccountStore } from '#core/accounts/account.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';
import { toMailbox } from './mailboxes.ts';
import { pageOf } from './pages.ts';

export function toBareAccount(row: AccountRow) {
  const {
    _id: id,
    deleted: _deleted,
    passwordHash: _hash,
    threaded: _threaded,
    fullAt = null,
    simulatesFailures = false,
    ...rest
  } = row;
  return { id, fullAt, simulatesFailures, ...rest };
}

function toAccount(row: AccountRow, mailboxes: MailboxRow[]): Account {
  const own = mailboxes.filter((mailbox) => mailbox.accountId === row._id);
  return { ...toBareAccount(row), mailboxes: own.map(toMailbox) };
}

const managed = { $type: 'string' } as const;
const full = { fullAt: { $type: 'date' }, ...notDeleted } as const;

export function createAccounts({ collections }: Context): AccountStore {
  const { accounts, mailboxes } = collections;
  const withMailboxes = async (rows: AccountRow[]): Promise<Account[]> => {
    const accountId = { $in: rows.map((row) => row._id) };
    const own = await mailboxes
      .find({ accountId, ...notDeleted })
      .sort({ accountId: 1, _id: 1 })
      .toArray();
    return rows.map((row) => toAccount(row, own));
  };
  const findCapture = createBatchLoader<Id, string>(async (owners) => {
    const rows = accounts.find({ owner: { $in: owners }, capture: true, ...notDeleted });
    return new Map(await rows.map((row): [Id, string] => [row.owner, row.address]).toArray());
  });
  return {
    list: (owner, filter, page) => pageOf(accounts, { owner, ...filter, ...notDeleted }, page, withMailboxes),
    async listManaged() {
      return (await accounts.find({ managedBy: managed, ...notDeleted }).toArray()).map(toBareAccount);
    },
    async find(owner, id) {
      const row = await accounts.findOne({ _id: id, owner, ...notDeleted });
      return row === null ? null : ((await withMailboxes([row]))[0] ?? null);
    },
    findCapture,
    async markFull(owner, id, at) {
      await accounts.updateOne(
        { _id: id, owner, ...notDeleted, fullAt: { $exists: false } },
        { $set: { fullAt: at } },
      );
    },
    listFull(owner, page) {
      const wanted = { ...(owner !== null && { owner }), ...full };
      const toItems = (rows: AccountRow[]) => rows.map(({ _id: id, address }) => ({ id, address }));
      return pageOf(accounts, wanted, page, toItems, { sort: { owner: 1, fullAt: 1 }, hint: fullHint });
    },
  };
}
