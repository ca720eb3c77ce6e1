import type { Collection } from 'mongodb';
import { createBatchLoader } from '#adapters/stores/mongo/cache/batch-loader.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import {
  type AccountRow,
  type DomainRow,
  type MailboxRow,
  notDeleted,
  type TokenRow,
} from '#adapters/stores/mongo/schema/rows.ts';
import type { DeliveryStore, PreparedMail } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { tokenKey } from '#core/messages/threads.ts';
import type { CachedAccount } from './account-cache.ts';

/** System mailboxes that mail is delivered to, by path. */
const systemKeys = ['INBOX', 'Sent'].map(pathKey);

type Recipient = { name: string; addresses: string[] };
type Candidates = { domain: DomainRow; accounts: AccountRow[] };

/**
 * Finds the domain of a recipient, and its accounts that have one of the addresses, or its catch-all where none has. Lookups
 * of many clients are read together, in one command. With two, a mail on a connection of its own took a quarter
 * longer.
 */
export function createRecipientLookup({
  collections: { domains, accounts },
}: Pick<Context, 'collections'>): DeliveryStore['lookUp'] {
  const candidatesOf = createBatchLoader<Recipient, Candidates>(async (asked) => {
    const named = { address: { $in: asked.flatMap(({ addresses }) => addresses) }, ...notDeleted };
    const rows = await domains
      .aggregate<DomainRow | AccountRow>([
        { $match: { name: { $in: asked.map(({ name }) => name) }, ...notDeleted } },
        { $unionWith: { coll: accounts.collectionName, pipeline: [{ $match: named }] } },
      ])
      .toArray();
    const byName = new Map(rows.flatMap((row) => ('name' in row ? [[row.name, row]] : [])));
    const byAddress = new Map(rows.flatMap((row) => ('address' in row ? [[row.address, row]] : [])));
    return new Map(
      asked.flatMap((recipient) => {
        const domain = byName.get(recipient.name);
        if (domain === undefined) return [];
        const own = recipient.addresses.flatMap((address) => byAddress.get(address) ?? []);
        return [[recipient, { domain, accounts: own.filter(({ domainId }) => domainId === domain._id) }]];
      }),
    );
  });
  const catchAllOf = createBatchLoader<Id, AccountRow>(async (domainIds) => {
    const rows = await accounts
      .find({ domainId: { $in: domainIds }, catchAll: true, ...notDeleted })
      .toArray();
    return new Map(rows.map((row) => [row.domainId, row]));
  });
  return async (name, addresses) => {
    const found = await candidatesOf({ name, addresses });
    if (found === null) return null;
    const { _id: id, owner, active, verification } = found.domain;
    const catchAll = found.accounts.length > 0 ? null : await catchAllOf(id);
    const rows = catchAll === null ? found.accounts : [catchAll];
    return {
      domain: { id, owner, active, verified: verification.status === 'verified' },
      accounts: rows.map(({ _id: id, address, active, catchAll, storageLimit, usedBytes, passwordHash }) => {
        return { id, address, active, catchAll, storageLimit, usedBytes, passwordHash };
      }),
    };
  };
}

/**
 * State that a batch is planned from. `cached` accounts may have more used bytes by now, which the write checks. `tokens`:
 * rows of the Message-IDs that the mails have or refer to.
 */
export type DeliveryReads = { accounts: Map<Id, CachedAccount>; cached: boolean; tokens: TokenRow[] };

type Box = Pick<MailboxRow, '_id' | 'pathKey' | 'total'>;
type Found = AccountRow & { domain: DomainRow[]; boxes: Box[] };

/** Reads the state in few queries: each round trip of a transaction delays other mail, and costs more than the reading. */
export async function readForDelivery(
  { collections: { accounts, tokens }, accountCache }: Context,
  lock: TeamLock,
  mails: PreparedMail[],
): Promise<DeliveryReads> {
  const { session } = lock;
  const targets = mails.flatMap((mail) => mail.targets);
  const cached = accountCache.get(lock, targets);
  const found = cached ?? (await readAccounts(accounts, lock, mails));
  const threaded = (accountId: Id) => found.get(accountId)?.threaded ?? false;
  const keys = mails.flatMap((mail) => tokenKeys(mail, threaded));
  const named = keys.length === 0 ? [] : await tokens.find({ _id: { $in: keys } }, { session }).toArray();
  return { accounts: found, cached: cached !== null, tokens: named };
}

async function readAccounts(
  accounts: Collection<AccountRow>,
  { session, newest }: TeamLock,
  mails: PreparedMail[],
): Promise<Map<Id, CachedAccount>> {
  const targets = mails.flatMap((mail) => mail.targets);
  const ids = new Set(targets.map(({ accountId }) => accountId));
  const named = new Set(targets.map(({ mailbox }) => (typeof mailbox === 'string' ? null : mailbox.id)));
  const rows = await accounts.aggregate<Found>(stages([...ids]), { session }).toArray();
  return new Map(
    rows.flatMap((row) => {
      const [domain] = row.domain;
      if (domain === undefined) return [];
      const mailboxes = row.boxes.filter(
        ({ _id, pathKey }) => systemKeys.includes(pathKey) || named.has(_id),
      );
      return [[row._id, state(row, domain, mailboxes, newest.get(row.owner) ?? 0)]];
    }),
  );
}

/** Keys of a mail's tokens in those of its accounts that may have token rows. */
function tokenKeys({ tokens, targets }: PreparedMail, mayHave: (accountId: Id) => boolean): string[] {
  const within = targets.filter(({ accountId }) => mayHave(accountId));
  const { own, references } = tokens;
  const all = own === null ? references : [own, ...references];
  return within.flatMap(({ accountId }) => all.map((token) => tokenKey(accountId, token)));
}

/** Finds the active rows of accounts with their domains and their mailboxes. */
function stages(ids: Id[]) {
  const box = { pathKey: 1, total: 1 };
  return [
    { $match: { _id: { $in: ids }, ...notDeleted } },
    { $lookup: { ...by('domains', 'domainId', '_id', 'domain'), pipeline: [{ $match: notDeleted }] } },
    {
      $lookup: {
        ...by('mailboxes', '_id', 'accountId', 'boxes'),
        pipeline: [{ $match: notDeleted }, { $project: box }],
      },
    },
  ];
}

function state(row: Found, domain: DomainRow, named: Box[], countedAt: number): CachedAccount {
  const { _id: id, owner, storageLimit, usedBytes, threaded = false } = row;
  const mailboxes = named.map(({ _id, pathKey }) => ({ id: _id, pathKey }));
  const messages = row.boxes.reduce((sum, { total }) => sum + total, 0);
  const active = row.active && domain.active;
  return { id, owner, active, storageLimit, usedBytes, messages, countedAt, threaded, mailboxes };
}

function by(from: string, localField: string, foreignField: string, as: string) {
  return { from, localField, foreignField, as };
}
