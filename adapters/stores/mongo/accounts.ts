import { createBatchLoader } from '#adapters/stores/mongo/cache/read-cache.ts';
import { fullHint } from '#adapters/stores/mongo/schema/indexes.ts';
import { type AccountRow, type MailboxRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Account, AccountConflict, AccountStore } from '#core/accounts/account.ts';
import type { Id } from '#core/ids.ts';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';
import type { Context } from './context.ts';
import { checkQuota, countedFor } from './counters.ts';
import { softDeleteMailboxes } from './domains.ts';
import { isDuplicate } from './errors.ts';
import { newMailbox, toMailbox } from './mailboxes.ts';
import { pageOf } from './pages.ts';

function toBareAccount(row: AccountRow) {
  const {
    _id: id,
    deleted: _deleted,
    passwordHash: _hash,
    threaded: _threaded,
    fullAt = null,
    ...rest
  } = row;
  return { id, fullAt, ...rest };
}

function toAccount(row: AccountRow, mailboxes: MailboxRow[]): Account {
  const own = mailboxes.filter((mailbox) => mailbox.accountId === row._id);
  return { ...toBareAccount(row), mailboxes: own.map(toMailbox) };
}

/** Names the account's conflict if a unique index refused a write. Throws any other error. */
function conflict(error: unknown): AccountConflict {
  if (isDuplicate(error, 'address')) return 'address-taken';
  if (isDuplicate(error, 'domainId')) return 'catch-all-taken';
  if (isDuplicate(error, 'owner')) return 'capture-taken';
  throw error;
}

const managed = { $type: 'string' } as const;
const full = { fullAt: { $type: 'date' }, ...notDeleted } as const;

export function createAccounts(context: Context): AccountStore {
  const { collections, ids, withTeamLock } = context;
  const { domains, accounts, mailboxes } = collections;
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
    async insert(owner, account, quota) {
      const { domainId, address, active, catchAll, capture, storageLimit } = account;
      const { managedBy, passwordHash, createdAt } = account;
      const [id = 0] = await ids.take('accounts', 1);
      const mailboxIds = await ids.take('mailboxes', systemMailboxes.length);
      const row: AccountRow = {
        ...{ _id: id, owner, domainId, address, active, catchAll, capture, storageLimit, usedBytes: 0 },
        ...{ managedBy, passwordHash, createdAt, updatedAt: createdAt, ...notDeleted },
      };
      const system = systemMailboxes.map((path, index) =>
        newMailbox(mailboxIds[index] ?? 0, { owner, accountId: id, path, system: true, createdAt }),
      );
      return withTeamLock([owner], async ({ session }) => {
        const domain = await domains.findOne({ _id: domainId, owner, ...notDeleted }, { session });
        if (domain === null) return null;
        await checkQuota(accounts, await countedFor(domains, owner, session), quota, session);
        await accounts.insertOne(row, { session });
        await mailboxes.insertMany(system, { session });
        return toAccount(row, system);
      }).catch(conflict);
    },
    list: (owner, filter, page) => pageOf(accounts, { owner, ...filter, ...notDeleted }, page, withMailboxes),
    async listManaged() {
      return (await accounts.find({ managedBy: managed, ...notDeleted }).toArray()).map(toBareAccount);
    },
    async find(owner, id) {
      const row = await accounts.findOne({ _id: id, owner, ...notDeleted });
      return row === null ? null : ((await withMailboxes([row]))[0] ?? null);
    },
    findCapture,
    async update(owner, id, change, now) {
      const unmarked = change.storageLimit === undefined ? {} : { $unset: { fullAt: '' } as const };
      const written = { $set: { ...change, updatedAt: now }, ...unmarked };
      // Takes the team lock even for one write: processes of 0.2 keep accounts while the team's version is unchanged.
      const row = await withTeamLock([owner], ({ session }) =>
        accounts.findOneAndUpdate({ _id: id, owner, ...notDeleted }, written, {
          returnDocument: 'after',
          session,
        }),
      ).catch(conflict);
      if (row === null || typeof row === 'string') return row;
      return (await withMailboxes([row]))[0] ?? null;
    },
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
    softDelete: (owner, id) =>
      withTeamLock([owner], async (lock) => {
        const { modifiedCount } = await accounts.updateOne(
          { _id: id, owner, ...notDeleted },
          { $set: { deleted: true } },
          { session: lock.session },
        );
        if (modifiedCount === 0) return false;
        await softDeleteMailboxes(context, lock, [id]);
        return true;
      }),
  };
}
