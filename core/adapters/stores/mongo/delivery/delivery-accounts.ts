import type { ClientSession, Collection } from 'mongodb';
import { createBatchLoader } from '#core/adapters/stores/mongo/cache/batch-loader.ts';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import type { TeamLock } from '#core/adapters/stores/mongo/locking/team-lock.ts';
import {
  type AccountRow,
  type DomainRow,
  type MailboxRow,
  notDeleted,
  type TokenRow,
} from '#core/adapters/stores/mongo/schema/rows.ts';
import type { DeliveryStore } from '#core/delivery/delivery.ts';
import type { DeliveryRecord } from '#core/delivery/delivery-record.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { tokenKey } from '#core/messages/thread-plan.ts';
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

type Found = AccountRow & { domain: DomainRow[]; boxes: MailboxRow[] };

/** Reads the state in few queries: each round trip of a transaction delays other mail, and costs more than the reading. */
export async function readForDelivery(
  { collections: { accounts, tokens }, accountCache }: Context,
  lock: TeamLock,
  mails: DeliveryRecord[],
): Promise<DeliveryReads> {
  const { session } = lock;
  const targets = mails.flatMap((mail) => mail.targets);
  const cached = accountCache.get(lock, targets);
  const found = cached ?? (await readAccounts(accounts, session, mails));
  const threaded = (accountId: Id) => found.get(accountId)?.threaded ?? false;
  const keys = mails.flatMap((mail) => tokenKeys(mail, threaded));
  const named = keys.length === 0 ? [] : await tokens.find({ _id: { $in: keys } }, { session }).toArray();
  return { accounts: found, cached: cached !== null, tokens: named };
}

async function readAccounts(
  accounts: Collection<AccountRow>,
  session: ClientSession,
  mails: DeliveryRecord[],
): Promise<Map<Id, CachedAccount>> {
  const rows = await accounts.aggregate<Found>(stages(mails), { session }).toArray();
  return new Map(
    rows.flatMap((row) => (row.domain[0] ? [[row._id, state(row, row.domain[0])] as const] : [])),
  );
}

/** Keys of a mail's tokens in those of its accounts that may have token rows. */
function tokenKeys({ tokens, targets }: DeliveryRecord, mayHave: (accountId: Id) => boolean): string[] {
  const within = targets.filter(({ accountId }) => mayHave(accountId));
  const { own, references } = tokens;
  const all = own === null ? references : [own, ...references];
  return within.flatMap(({ accountId }) => all.map((token) => tokenKey(accountId, token)));
}

/** Finds the active rows of accounts with their domains and the mailboxes that targets may name. */
function stages(mails: DeliveryRecord[]) {
  const targets = mails.flatMap((mail) => mail.targets);
  const ids = new Set(targets.map(({ accountId }) => accountId));
  const named = targets.flatMap(({ mailbox }) => (typeof mailbox === 'string' ? [] : mailbox.id));
  const byPath = { pathKey: { $in: systemKeys } };
  const meant = named.length === 0 ? byPath : { $or: [byPath, { _id: { $in: named } }] };
  return [
    { $match: { _id: { $in: [...ids] }, ...notDeleted } },
    { $lookup: { ...by('domains', 'domainId', '_id', 'domain'), pipeline: [{ $match: notDeleted }] } },
    {
      $lookup: {
        ...by('mailboxes', '_id', 'accountId', 'boxes'),
        pipeline: [{ $match: { ...notDeleted, ...meant } }],
      },
    },
  ];
}

function state(row: AccountRow & { boxes: MailboxRow[] }, domain: DomainRow): CachedAccount {
  const { _id: id, owner, storageLimit, usedBytes, threaded = false } = row;
  const mailboxes = row.boxes.map(({ _id, pathKey }) => ({ id: _id, pathKey }));
  return { id, owner, active: row.active && domain.active, storageLimit, usedBytes, threaded, mailboxes };
}

function by(from: string, localField: string, foreignField: string, as: string) {
  return { from, localField, foreignField, as };
}
