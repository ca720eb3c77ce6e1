import { createGather } from '#core/adapters/stores/mongo/cache/gather.ts';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import type { Turn } from '#core/adapters/stores/mongo/locking/transactions.ts';
import type { AccountRow, DomainRow, MailboxRow, TokenRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import { hashTokens } from '#core/adapters/stores/mongo/threads/conversations.ts';
import { tokenKey } from '#core/adapters/stores/mongo/threads/thread-plan.ts';
import type { DeliveryStore, PreparedMail } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { threadTokens } from '#core/messages/thread.ts';
import type { AccountState } from './judge-deliveries.ts';

/** Where mail is delivered to by path. */
const systemKeys = ['INBOX', 'Sent'].map(pathKey);
const living = { living: true } as const;

type Candidates = { domainId: Id; addresses: string[] };

/**
 * Finds the domain of a recipient, and its accounts that have one of the addresses or take all mail. What many clients
 * ask at once is read together: asked one by one, it was more than half of all commands that a batch of mail took.
 */
export function createRecipientLookup({
  collections: { domains, accounts },
}: Pick<Context, 'collections'>): DeliveryStore['lookUp'] {
  const domainOf = createGather<string, DomainRow>(async (names) => {
    const rows = await domains.find({ name: { $in: names }, ...living }).toArray();
    return new Map(rows.map((row) => [row.name, row]));
  });
  const accountsOf = createGather<Candidates, AccountRow[]>(async (asked) => {
    const named = { address: { $in: asked.flatMap(({ addresses }) => addresses) }, ...living };
    const domainIds = [...new Set(asked.map(({ domainId }) => domainId))];
    const all = { domainId: { $in: domainIds }, catchAll: true, ...living };
    const rows = Map.groupBy(await accounts.find({ $or: [named, all] }).toArray(), (row) => row.domainId);
    return new Map(
      asked.map((candidates) => {
        const { domainId, addresses } = candidates;
        const own = rows.get(domainId) ?? [];
        return [candidates, own.filter((row) => row.catchAll || addresses.includes(row.address))];
      }),
    );
  });
  return async (name, addresses) => {
    const domain = await domainOf(name);
    if (domain === null) return null;
    const { _id: domainId, owner, active, verification } = domain;
    const found = await accountsOf({ domainId, addresses });
    return {
      domain: { id: domainId, owner, active, verified: verification.status === 'verified' },
      accounts: (found ?? []).map(({ _id: id, address, active, catchAll, storageLimit, usedBytes }) => {
        return { id, address, active, catchAll, storageLimit, usedBytes };
      }),
    };
  };
}

/**
 * What a commit has to know: of the accounts that its mails are for, and of the tokens that they name. `remembered`
 * accounts may have more bytes by now.
 */
export type DeliveryReads = { accounts: Map<Id, AccountState>; remembered: boolean; tokens: TokenRow[] };

type Found = AccountRow & { domain: DomainRow[]; boxes: MailboxRow[]; tokens: TokenRow[] };

/** Reads it in one query: each round trip of a transaction keeps other mail waiting, and costs more than the reading. */
export async function readForDelivery(
  { collections: { accounts, tokens }, deliveryMemory }: Context,
  turn: Turn,
  mails: PreparedMail[],
): Promise<DeliveryReads> {
  const { session } = turn;
  const targets = mails.flatMap((mail) => mail.targets);
  const remembered = deliveryMemory.recall(turn, targets);
  if (remembered !== null) {
    const threaded = (accountId: Id) => remembered.get(accountId)?.threaded ?? true;
    const keys = mails.flatMap((mail) => tokenKeys(mail, threaded));
    const named = keys.length === 0 ? [] : await tokens.find({ _id: { $in: keys } }, { session }).toArray();
    return { accounts: remembered, remembered: true, tokens: named };
  }
  const found = await accounts.aggregate<Found>(stages(mails), { session }).toArray();
  return {
    accounts: new Map(found.flatMap((row) => (row.domain[0] ? [[row._id, state(row, row.domain[0])]] : []))),
    remembered: false,
    // All of them stand at each account.
    tokens: found[0]?.tokens ?? [],
  };
}

/** Under what the Message-IDs that a mail has and refers to are kept in those of its accounts that may have any. */
function tokenKeys({ content, targets }: PreparedMail, mayHave: (accountId: Id) => boolean): string[] {
  const within = targets.filter(({ accountId }) => mayHave(accountId));
  if (within.length === 0) return [];
  const { own, references } = hashTokens(threadTokens(content, targets.length));
  const all = own === null ? references : [own, ...references];
  return within.flatMap(({ accountId }) => all.map((token) => tokenKey(accountId, token)));
}

/** Finds the living accounts with their domains, those mailboxes that the mails may mean, and the tokens. */
function stages(mails: PreparedMail[]) {
  const targets = mails.flatMap((mail) => mail.targets);
  const ids = new Set(targets.map(({ accountId }) => accountId));
  const named = targets.flatMap(({ mailbox }) => (typeof mailbox === 'string' ? [] : mailbox.id));
  const byPath = { pathKey: { $in: systemKeys } };
  const meant = named.length === 0 ? byPath : { $or: [byPath, { _id: { $in: named } }] };
  return [
    { $match: { _id: { $in: [...ids] }, ...living } },
    { $lookup: { ...by('domains', 'domainId', '_id', 'domain'), pipeline: [{ $match: living }] } },
    {
      $lookup: {
        ...by('mailboxes', '_id', 'accountId', 'boxes'),
        pipeline: [{ $match: { ...living, ...meant } }],
      },
    },
    {
      $lookup: {
        from: 'tokens',
        pipeline: [{ $match: { _id: { $in: mails.flatMap((mail) => tokenKeys(mail, () => true)) } } }],
        as: 'tokens',
      },
    },
  ];
}

function state(row: AccountRow & { boxes: MailboxRow[] }, domain: DomainRow): AccountState {
  const { _id: id, owner, storageLimit, usedBytes, threaded = false } = row;
  const mailboxes = row.boxes.map(({ _id, pathKey }) => ({ id: _id, pathKey }));
  return { id, owner, active: row.active && domain.active, storageLimit, usedBytes, threaded, mailboxes };
}

function by(from: string, localField: string, foreignField: string, as: string) {
  return { from, localField, foreignField, as };
}
