import { createBatchLoader } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { rowFrom } from '#adapters/stores/mongo/rows/driver.ts';
import {
  type AccountRow,
  type DomainRow,
  notDeleted,
  type TokenRow,
} from '#adapters/stores/mongo/schema/rows.ts';
import { recipientAccounts } from '#adapters/stores/rows/tables.ts';
import type { DeliveryStore, PreparedMail } from '#core/delivery/delivery.ts';
import { type AccountState, ruledPath } from '#core/delivery/plan-delivery.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { tokenKey } from '#core/messages/threads.ts';

type Recipient = { name: string; addresses: string[] };
type Candidates = { domain: DomainRow; accounts: AccountRow[] };

/**
 * Finds a recipient's domain, and its accounts that have one of the addresses, or its catch-all if no account has. Combines the lookups
 * of many clients in one command. With two commands, an email on its own connection took a quarter longer.
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
    const { _id: id, owner, active, verification, assumedClientIp = null, failures = 0 } = found.domain;
    const catchAll = found.accounts.length > 0 ? null : await catchAllOf(id);
    const rows = catchAll === null ? found.accounts : [catchAll];
    return {
      domain: {
        ...{ id, owner, active, verified: verification.status === 'verified', assumedClientIp },
        failures,
      },
      accounts: rows.map((row) => rowFrom(recipientAccounts, row)),
    };
  };
}

/**
 * State on which a batch's plan depends. `threaded`: accounts in which a message refers to another message, or once did. `tokens`: rows
 * of the Message-IDs that the emails contain or refer to.
 */
export type DeliveryReads = { accounts: Map<Id, AccountState>; threaded: Set<Id>; tokens: TokenRow[] };

/** Account's id, mailboxes and rows. */
type Found = Pick<AccountState, 'mailboxes' | 'mailboxCount' | 'messages'> & {
  _id: Id;
  account: AccountRow[];
  domain: DomainRow[];
};

/** Reads the state in few queries: each round trip of a transaction delays other mail, and costs more than the read itself. */
export async function readForDelivery(
  { collections: { mailboxes, tokens } }: Context,
  { session }: TeamLock,
  mails: PreparedMail[],
): Promise<DeliveryReads> {
  const targets = mails.flatMap((mail) => mail.targets);
  const ids = new Set(targets.map(({ accountId }) => accountId));
  const boxes = new Set(targets.flatMap(({ mailbox }) => (typeof mailbox === 'string' ? [] : mailbox.id)));
  const paths = ['INBOX', 'Sent', ...targets.flatMap((target) => ruledPath(target) ?? [])];
  const keys = new Set(paths.map(pathKey));
  const rows = await mailboxes
    .aggregate<Found>(stages([...ids], [...boxes], [...keys]), { session })
    .toArray();
  const accounts = new Map(rows.flatMap(states).map((account) => [account.id, account]));
  const threaded = new Set(rows.filter(({ account: [row] }) => row?.threaded).map(({ _id }) => _id));
  const named = mails.flatMap((mail) => tokenKeys(mail, threaded));
  const found = named.length === 0 ? [] : await tokens.find({ _id: { $in: named } }, { session }).toArray();
  return { accounts, threaded, tokens: found };
}

/** Keys of an email's tokens in accounts that may have token rows. */
function tokenKeys({ tokens, targets }: PreparedMail, threaded: Set<Id>): string[] {
  const within = targets.filter(({ accountId }) => threaded.has(accountId));
  const { own, references } = tokens;
  const all = own === null ? references : [own, ...references];
  return within.flatMap(({ accountId }) => all.map((token) => tokenKey(accountId, token)));
}

/**
 * Finds accounts from their mailboxes. A lookup of the mailboxes would read all mailboxes of the store: their indexes omit deleted ones.
 */
function stages(ids: Id[], boxes: Id[], keys: string[]) {
  const named = [{ $in: ['$_id', boxes] }, { $in: ['$pathKey', { $literal: keys }] }];
  const place = { $cond: [{ $or: named }, { id: '$_id', pathKey: '$pathKey' }, '$$REMOVE'] };
  const counts = { mailboxCount: { $sum: 1 }, messages: { $sum: '$total' } };
  return [
    { $match: { accountId: { $in: ids }, ...notDeleted } },
    { $group: { _id: '$accountId', ...counts, mailboxes: { $push: place } } },
    { $lookup: { from: 'accounts', localField: '_id', foreignField: '_id', as: 'account' } },
    { $lookup: { from: 'domains', localField: 'account.domainId', foreignField: '_id', as: 'domain' } },
  ];
}

function states({ _id: id, account: [account], domain: [domain], ...counts }: Found): AccountState[] {
  if (account === undefined || domain === undefined || account.deleted || domain.deleted) return [];
  const { owner, storageLimit, usedBytes } = account;
  const active = account.active === true && domain.active;
  return [{ id, owner, active, storageLimit, usedBytes, ...counts }];
}
