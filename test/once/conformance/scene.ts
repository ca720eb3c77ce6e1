import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addUser } from '#core/access/user-changes.ts';
import { type Account, defaultFlags, defaultStorageLimit, type NewAccount } from '#core/accounts/account.ts';
import { addAccount } from '#core/accounts/create-account.ts';
import type { DeliveryTarget } from '#core/delivery/delivery.ts';
import { addDomain } from '#core/domains/create-domain.ts';
import type { Domain } from '#core/domains/domain.ts';
import { unverified } from '#core/domains/verdict.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Message, MessageSummary, Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { visibilityAt } from '#core/messages/retention.ts';
import type { Store } from '#core/store.ts';
import type { PeopledStore } from '#test/support/stores/people.ts';
import { type OpenedStore, onEmptyStore, stores } from '#test/support/stores/store.ts';
import { type MailWords, mail } from './mail.ts';

export const wholePage = { page: 1, limit: 200 };

/** Visibility at this moment, under the default retention. */
export const now = (): Visibility => visibilityAt(new Date(), 90);

/** Account on its domain, with a separate user. Most tests start with these. */
export type Scene = { store: PeopledStore; opened: OpenedStore; owner: Id; domain: Domain; account: Account };

type Body = (scene: Scene, t: TestContext) => Promise<void>;

/** Runs `body` on each store, with a separate scene that is removed afterward. */
export function onEachStore(name: string, body: Body): void {
  for (const one of stores) {
    test(`${one.name}: ${name}`, (t) =>
      onEmptyStore(one, async (opened) => {
        const { store } = opened;
        const owner = await newUser(store);
        const domain = await newDomain(store, owner, 'app.test');
        const account = await newAccount(store, owner, domain.id, 'qa@app.test');
        await body({ store, opened, owner, domain, account }, t);
      }));
  }
}

export async function newUser(store: Store, email = 'qa-team@app.test'): Promise<Id> {
  return (await store.rows.change(addUser, { email, passwordHash: null, now: new Date() })).id;
}

export async function newDomain(store: Store, owner: Id, name: string): Promise<Domain> {
  const createdAt = new Date();
  const verification = unverified(createdAt);
  const wanted = { domain: name, active: true, verification, managedBy: null, createdAt };
  return store.rows.change(addDomain, { team: owner, ...wanted });
}

export function accountInput(
  domainId: Id,
  address: string,
  words: Partial<NewAccount> = {},
): NewAccount & { domainId: Id } {
  return {
    domainId,
    address,
    ...defaultFlags,
    storageLimit: defaultStorageLimit,
    managedBy: null,
    createdAt: new Date(),
    passwordHash: null,
    ...words,
  };
}

export async function newAccount(
  store: Store,
  owner: Id,
  domainId: Id,
  address: string,
  words: Partial<NewAccount> = {},
): Promise<Account> {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const wanted = accountInput(domainId, address, words);
  return store.rows.change(addAccount, { team: owner, domain, ...wanted });
}

/** Target for the account's INBOX. `words` replace fields. */
export function target(account: Account, words: Partial<DeliveryTarget> = {}): DeliveryTarget {
  const deliveredTo = words.deliveredTo ?? account.address;
  return {
    owner: account.owner,
    accountId: account.id,
    mailbox: 'INBOX',
    deliveredTo,
    tag: null,
    envelope: {
      mailFrom: 'bounce@elsewhere.test',
      rcptTo: [deliveredTo],
      helo: 'mx.elsewhere.test',
      remoteAddress: '192.0.2.1',
      tls: false,
      receivedBy: 'app.test',
    },
    ...words,
  };
}

/** Delivers one email to the INBOX of `account` and returns its ID. */
export async function deliver(store: Store, account: Account, words: MailWords = {}): Promise<Id> {
  const [verdict] = await store.deliveries.commit([mail([target(account)], words)]);
  assert.ok(verdict !== undefined && 'ids' in verdict, JSON.stringify(verdict));
  return verdict.ids[0] ?? 0;
}

/** Delivers `count` emails in one batch, oldest first. */
export async function deliverMany(
  store: Store,
  account: Account,
  count: number,
  words: MailWords = {},
): Promise<Id[]> {
  const mails = Array.from({ length: count }, (_, i) =>
    mail([target(account)], { subject: `mail ${i}`, ...words }),
  );
  const verdicts = await store.deliveries.commit(mails);
  return verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.ids : []));
}

export async function messageOf(store: Store, owner: Id, id: Id): Promise<Message> {
  const message = await store.messages.find(owner, id, now());
  assert.ok(message);
  return message;
}

export function mailboxId(account: Account, path: string): Id {
  const mailbox = account.mailboxes.find((candidate) => candidate.path === path);
  assert.ok(mailbox);
  return mailbox.id;
}

/** Returns a list's IDs, in order. */
export async function idsOf(store: Store, owner: Id, filter: MessageFilter): Promise<Id[]> {
  const list = await store.messages.list(owner, filter, wholePage, now());
  assert.equal(list.total, list.items.length, 'total is the number of items');
  return list.items.map((item: MessageSummary) => item.id);
}

/** Returns the counts that quota and mailboxes show. */
export async function countsOf(store: Store, account: Account, path = 'INBOX') {
  const found = await store.accounts.find(account.owner, account.id);
  assert.ok(found);
  const mailbox = found.mailboxes.find((candidate) => candidate.path === path);
  return { usedBytes: found.usedBytes, total: mailbox?.total, unread: mailbox?.unread };
}

export async function journalOf(store: Store, owner: Id, after = 0): Promise<MailEvent[]> {
  return store.journal.read(owner, after, 1_000_000);
}

/** Removes all soft-deleted rows, as the upkeep does, and returns the commits. */
export async function clearAll(store: Store, limit = 500): Promise<Committed<number>[]> {
  const commits: Committed<number>[] = [];
  for (;;) {
    const { more, removed } = await store.upkeep({ do: 'remove-soft-deleted', now: new Date() }, limit);
    commits.push(...removed);
    if (!more) return commits;
  }
}

/** Removes messages that are no longer visible, and returns the commits. */
export async function removeExpired(
  store: Store,
  visibility: Visibility,
  limit: number,
): Promise<Committed<number>[]> {
  return (await store.upkeep({ do: 'remove-expired-messages', visibility }, limit)).removed;
}

/** Returns a message's bytes, read in one operation. */
export async function rawOf(store: Store, owner: Id, id: Id): Promise<Buffer> {
  const raw = await store.messages.raw(owner, id, now());
  assert.ok(raw);
  return gather(raw.open());
}

export async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const gathered: Uint8Array[] = [];
  for await (const piece of pieces) gathered.push(piece);
  return Buffer.concat(gathered);
}
