import { createBatchLoader } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { rowFrom } from '#adapters/stores/mongo/rows/driver.ts';
import {
  type AccountRow,
  type DomainRow,
  type MailboxRow,
  notDeleted,
  type TokenRow,
} from '#adapters/stores/mongo/schema/rows.ts';
import { recipientAccounts } from '#adapters/stores/rows/tables.ts';
import type { DeliveryStore, PreparedMail } from '#core/delivery/delivery.ts';
import { type AccountState, ruledPath } from '#core/delivery/plan-delivery.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { tokenKey } from '#core/messages/threads.ts';

/** System mailboxes to which mail is delivered, by path. */
const systemKeys = ['INBOX', 'Sent'].map(pathKey);

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

type Box = Pick<MailboxRow, '_id' | 'pathKey' | 'total' | 'deleted'>;
type Found = Pick<AccountRow, '_id' | 'owner' | 'active' | 'storageLimit' | 'usedBytes' | 'threaded'> & {
  domain: Pick<DomainRow, 'active' | 'deleted'>[];
  boxes: Box[];
};

/** Reads the state in few queries: each round trip of a transaction delays other mail, and costs more than the read itself. */
export async function readForDelivery(
  { collections: { accounts, tokens } }: Context,
  { session }: TeamLock,
  mails: PreparedMail[],
): Promise<DeliveryReads> {
  const targets = mails.flatMap((mail) => mail.targets);
  const ids = new Set(targets.map(({ accountId }) => accountId));
  const named = new Set<Id | string | null>(
    targets.map(({ mailbox }) => (typeof mailbox === 'string' ? null : mailbox.id)),
  );
  for (const target of targets) named.add(pathKey(ruledPath(target) ?? 'INBOX'));
  const rows = await accounts.aggregate<Found>(stages([...ids]), { session }).toArray();
  const states = rows.flatMap((row) => {
    const [domain] = row.domain.filter(({ deleted }) => !deleted);
    return domain === undefined ? [] : [state(row, domain.active, named)];
  });
  const threaded = new Set(rows.filter((row) => row.threaded).map(({ _id }) => _id));
  const keys = mails.flatMap((mail) => tokenKeys(mail, threaded));
  const found = keys.length === 0 ? [] : await tokens.find({ _id: { $in: keys } }, { session }).toArray();
  return { accounts: new Map(states.map((account) => [account.id, account])), threaded, tokens: found };
}

/** Keys of an email's tokens in accounts that may have token rows. */
function tokenKeys({ tokens, targets }: PreparedMail, threaded: Set<Id>): string[] {
  const within = targets.filter(({ accountId }) => threaded.has(accountId));
  const { own, references } = tokens;
  const all = own === null ? references : [own, ...references];
  return within.flatMap(({ accountId }) => all.map((token) => tokenKey(accountId, token)));
}

/**
 * Finds accounts with their domains and mailboxes, including deleted accounts. Omitting deleted accounts by a `pipeline` in the lookup
 * doubles mongod's time for ten accounts.
 */
function stages(ids: Id[]) {
  const account = { owner: 1, active: 1, storageLimit: 1, usedBytes: 1, threaded: 1 };
  const domain = { 'domain.active': 1, 'domain.deleted': 1 };
  const boxes = { 'boxes._id': 1, 'boxes.pathKey': 1, 'boxes.total': 1, 'boxes.deleted': 1 };
  return [
    { $match: { _id: { $in: ids }, ...notDeleted } },
    { $lookup: { from: 'domains', localField: 'domainId', foreignField: '_id', as: 'domain' } },
    { $lookup: { from: 'mailboxes', localField: '_id', foreignField: 'accountId', as: 'boxes' } },
    { $project: { ...account, ...domain, ...boxes } },
  ];
}

function state(row: Found, domainActive: boolean, named: Set<Id | string | null>): AccountState {
  const { _id: id, owner, storageLimit, usedBytes } = row;
  const boxes = row.boxes.filter(({ deleted }) => !deleted);
  const mailboxes = boxes
    .filter(({ _id, pathKey }) => systemKeys.includes(pathKey) || named.has(_id) || named.has(pathKey))
    .map(({ _id, pathKey }) => ({ id: _id, pathKey }));
  const messages = boxes.reduce((sum, { total }) => sum + total, 0);
  const room = { storageLimit, usedBytes, messages };
  const active = row.active === true && domainActive;
  return { id, owner, active, ...room, mailboxes, mailboxCount: boxes.length };
}
