import assert from 'node:assert/strict';
import type { Id } from '#core/ids.ts';
import type { Attachment } from '#core/messages/content.ts';
import type { FlagFilter, MessageFilter } from '#core/messages/message-filter.ts';
import { searching } from '#test/support/stores/searching.ts';
import { mail } from './mail.ts';
import {
  clearAll,
  deliver,
  deliverMany,
  idsOf,
  mailboxId,
  newAccount,
  now,
  onEachStore,
  type Scene,
  target,
} from './scene.ts';

const attachment: Attachment = {
  id: 1,
  filename: 'invoice.pdf',
  contentType: 'application/pdf',
  sizeBytes: 1,
  disposition: 'attachment',
  contentId: null,
  sha256: '0'.repeat(64),
  body: { start: 0, end: 1, encoding: 'identity' },
};

type Flags = Required<Pick<MessageFilter, FlagFilter>>;

const either = [true, false];
const allFlags: Flags[] = either.flatMap((unread) =>
  either.flatMap((flagged) => either.map((hasAttachments) => ({ unread, flagged, hasAttachments }))),
);

/** Delivers a message with these flags to the INBOX. */
async function deliverFlagged({ store, owner, account }: Scene, flags: Flags): Promise<Id> {
  const { unread, flagged, hasAttachments } = flags;
  const id = await deliver(store, account, { attachments: hasAttachments ? [attachment] : [] });
  await store.messages.update(owner, id, { isRead: !unread, isFlagged: flagged }, now());
  return id;
}

/** Delivers one message with each combination of flags, newest first. */
async function deliverAllFlags(scene: Scene): Promise<{ id: Id; flags: Flags }[]> {
  const delivered = [];
  for (const flags of allFlags) delivered.unshift({ id: await deliverFlagged(scene, flags), flags });
  return delivered;
}

onEachStore('lists show the flags of each message', async (scene) => {
  const { store, owner, account } = scene;
  const delivered = await deliverAllFlags(scene);
  const both = [target(account), target(account, { mailbox: 'Sent' })];
  await store.deliveries.commit([mail(both)]);
  const page = { page: 1, limit: 20 };
  const { items } = await store.messages.list(owner, { accountId: account.id }, page, now());
  const shown = items.map(({ isRead, isFlagged, hasAttachments }) => {
    return { unread: !isRead, flagged: isFlagged, hasAttachments };
  });
  assert.deepEqual(
    shown.slice(1),
    delivered.map(({ flags }) => flags),
  );
  const sent = await store.messages.list(owner, { mailboxId: mailboxId(account, 'Sent') }, page, now());
  assert.deepEqual([items[0]?.copy, sent.items.map(({ copy }) => copy)], [false, [true]]);
});

/** Filters by flags: each flag is true, false or not set. */
const flagFilters: MessageFilter[] = ['unread', 'flagged', 'hasAttachments'].reduce<MessageFilter[]>(
  (filters, name) =>
    filters.flatMap((filter) => [filter, ...either.map((flag) => ({ ...filter, [name]: flag }))]),
  [{}],
);

function matching(delivered: { id: Id; flags: Flags }[], filter: MessageFilter): Id[] {
  const matches = (flags: Flags) =>
    Object.entries(flags).every(([name, flag]) => (filter[name as FlagFilter] ?? flag) === flag);
  return delivered.filter(({ flags }) => matches(flags)).map(({ id }) => id);
}

onEachStore(
  'each combination of flags selects its messages, in every scope and beside every filter',
  async (scene) => {
    const { store, owner, account } = scene;
    const delivered = await deliverAllFlags(scene);
    const [first] = delivered.slice(-1);
    const inbox = mailboxId(account, 'INBOX');
    const besides: [MessageFilter, (ids: Id[]) => Id[]][] = [
      [{}, (ids) => ids],
      [{ accountId: account.id }, (ids) => ids],
      [{ accountId: account.id, mailboxId: inbox }, (ids) => ids],
      [{ mailboxPath: 'inbox' }, (ids) => ids],
      [{ mailboxPath: 'Trash' }, () => []],
      [{ after: 1 }, (ids) => ids.filter((id) => id !== first?.id)],
      [searching({ subject: 'hello', from: 'sender@', to: 'qa@' }), (ids) => ids],
      [searching({ words: ['hello'] }), (ids) => ids],
      [searching({ words: ['nowhere'] }), () => []],
    ];
    for (const [beside, expected] of besides) {
      for (const flags of flagFilters) {
        const filter = { ...beside, ...flags };
        const ids = await idsOf(store, owner, filter);
        assert.deepEqual(ids, expected(matching(delivered, flags)), JSON.stringify(filter));
      }
    }
  },
);

onEachStore('a list by flags follows changes, moves and deletions', async (scene) => {
  const { store, owner, account } = scene;
  const [a = 0, b = 0, c = 0] = await deliverMany(store, account, 3);
  const inbox = mailboxId(account, 'INBOX');
  const trash = mailboxId(account, 'Trash');
  const check = async (unread: Id[], inTrash: Id[]) => {
    assert.deepEqual(await idsOf(store, owner, { unread: true }), unread);
    assert.deepEqual(
      await idsOf(store, owner, { unread: true, mailboxId: inbox }),
      unread.filter((id) => !inTrash.includes(id)),
    );
    assert.deepEqual(await idsOf(store, owner, { unread: true, mailboxId: trash }), inTrash);
  };
  await check([c, b, a], []);
  await store.messages.update(owner, b, { isRead: true }, now());
  await check([c, a], []);
  await store.messages.update(owner, a, { mailboxId: trash }, now());
  await check([c, a], [a]);
  await store.messages.update(owner, b, { isRead: false }, now());
  await store.messages.remove(owner, c, now());
  await check([b, a], [a]);
});

onEachStore('a list by flags is in pages, with an exact total', async ({ store, owner, account }) => {
  const ids = await deliverMany(store, account, 9, { attachments: [attachment] });
  const others = await deliverMany(store, account, 9);
  const wanted = ids.toReversed();
  for (const filter of [
    { hasAttachments: true },
    { hasAttachments: true, mailboxId: mailboxId(account, 'INBOX') },
  ]) {
    for (const page of [1, 2, 3, 4]) {
      const { items, total, cursor } = await store.messages.list(owner, filter, { page, limit: 4 }, now());
      const shown = wanted.slice((page - 1) * 4, page * 4);
      assert.deepEqual([items.map(({ id }) => id), total, cursor], [shown, 9, 18]);
    }
    const after = await store.messages.list(owner, { ...filter, after: 7 }, { page: 1, limit: 1 }, now());
    assert.deepEqual([after.items.map(({ id }) => id), after.total], [wanted.slice(0, 1), 2]);
  }
  const far = await store.messages.list(owner, { hasAttachments: false }, { page: 3000, limit: 1 }, now());
  assert.deepEqual([far.items, far.total], [[], others.length]);
});

onEachStore('a list by flags leaves out what has expired', async (scene) => {
  const { store, owner, account } = scene;
  const delivered = await deliverAllFlags(scene);
  const expiresAt = new Date(Date.now() + 60_000);
  const gone = delivered.slice(0, 3);
  for (const { id } of gone) await store.messages.update(owner, id, { expiresAt }, now());
  const left = delivered.slice(3);
  const at = { ...now(), now: expiresAt };
  for (const scope of [{}, { mailboxId: mailboxId(account, 'INBOX') }, { after: 1 }]) {
    for (const flags of flagFilters) {
      const filter = { ...scope, ...flags };
      const { items, total } = await store.messages.list(owner, filter, { page: 1, limit: 200 }, at);
      const expected = matching('after' in scope ? left.slice(0, -1) : left, flags);
      assert.deepEqual(
        [items.map(({ id }) => id), total],
        [expected, expected.length],
        JSON.stringify(filter),
      );
    }
  }
});

onEachStore(
  'copies in Sent are left out of a list by flags, unless it names Sent',
  async ({ store, owner, account }) => {
    const both = [target(account), target(account, { mailbox: 'Sent' })];
    const [verdict] = await store.deliveries.commit([mail(both, { attachments: [attachment] })]);
    assert.ok(verdict && 'ids' in verdict);
    const [received = 0, copy = 0] = verdict.ids;
    await store.messages.update(owner, copy, { isRead: false, isFlagged: true }, now());
    const sent = mailboxId(account, 'Sent');
    const cases: [MessageFilter, Id[]][] = [
      [{ unread: true }, [received]],
      [{ hasAttachments: true, after: 0 }, [received]],
      [{ accountId: account.id, unread: true }, [received]],
      [{ flagged: true }, []],
      [{ mailboxPath: 'Sent', unread: true }, [copy]],
      [
        { mailboxPath: 'sent', flagged: true, hasAttachments: true, ...searching({ subject: 'hello' }) },
        [copy],
      ],
      [{ accountId: account.id, mailboxId: sent, unread: true }, [copy]],
      [{ accountId: account.id, mailboxId: sent, unread: false }, []],
    ];
    for (const [filter, ids] of cases)
      assert.deepEqual(await idsOf(store, owner, filter), ids, JSON.stringify(filter));
  },
);

onEachStore(
  'a list by flags has no message of a deleted mailbox or of another user',
  async ({ store, owner, domain, account }) => {
    const other = await newAccount(store, owner, domain.id, 'other@app.test');
    await deliverMany(store, account, 3);
    const id = await deliver(store, other);
    await store.accounts.softDelete(owner, account.id, new Date());
    assert.deepEqual(await idsOf(store, owner, { unread: true }), [id]);
    assert.deepEqual(await idsOf(store, owner, { unread: true, accountId: account.id }), []);
    assert.deepEqual(
      await idsOf(store, owner + 1, { unread: true, mailboxId: mailboxId(other, 'INBOX') }),
      [],
    );
    assert.deepEqual(await idsOf(store, owner + 1, { unread: true }), []);
    await clearAll(store);
    assert.deepEqual(await idsOf(store, owner, { unread: true }), [id]);
  },
);
