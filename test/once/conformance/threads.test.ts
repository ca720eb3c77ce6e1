import assert from 'node:assert/strict';
import type { Id } from '#core/ids.ts';
import type { Store } from '#core/store.ts';
import { mail } from './mail.ts';
import { deliver, idsOf, messageOf, newAccount, now, onEachStore, target, wholePage } from './scene.ts';

async function threadsOf(store: Store, owner: Id, ids: Id[]): Promise<(Id | null)[]> {
  const threads = [];
  for (const id of ids) threads.push((await messageOf(store, owner, id)).threadId);
  const { items } = await store.messages.list(owner, {}, wholePage, now());
  for (const [i, id] of ids.entries()) {
    assert.equal(items.find((item) => item.id === id)?.threadId, threads[i], 'lists and reads agree');
  }
  return threads;
}

onEachStore(
  'a reply and its parent are one conversation, in either order',
  async ({ store, owner, account }) => {
    const parent = await deliver(store, account, { msgid: '<a>' });
    assert.deepEqual(await threadsOf(store, owner, [parent]), [null]);
    const reply = await deliver(store, account, { msgid: '<b>', inReplyTo: '<a>' });
    const third = await deliver(store, account, { msgid: '<c>', references: ['<a>', '<b>'] });
    assert.deepEqual(await threadsOf(store, owner, [parent, reply, third]), [parent, parent, parent]);
    const early = await deliver(store, account, { msgid: '<y>', inReplyTo: '<x>' });
    const late = await deliver(store, account, { msgid: '<x>' });
    assert.deepEqual(await threadsOf(store, owner, [early, late]), [early, early]);
  },
);

onEachStore('replies of one batch join their parent once', async ({ store, owner, domain, account }) => {
  const parent = await deliver(store, account, { msgid: '<a>' });
  const other = await newAccount(store, owner, domain.id, 'other@app.test');
  const to = [target(account), target(other)];
  const verdicts = await store.deliveries.commit([
    mail(to, { references: ['<a>', '<x>'] }),
    mail(to, { references: ['<a>', '<y>'] }),
  ]);
  const [first = 0, second = 0] = verdicts.map((verdict) => ('ids' in verdict ? verdict.ids[0] : 0));
  assert.deepEqual(await threadsOf(store, owner, [parent, first, second]), [parent, parent, parent]);
  for (const reply of [first, second]) await store.messages.remove(owner, reply, now());
  assert.deepEqual(await threadsOf(store, owner, [parent]), [null]);
});

onEachStore('references link, an equal Message-ID does not', async ({ store, owner, domain, account }) => {
  const ids = [];
  for (const words of [
    { msgid: '<a>' },
    { msgid: '<a>' },
    {},
    {},
    { msgid: '<s>', references: ['<s>'] },
    { msgid: '<s>', references: ['<s>'] },
  ]) {
    ids.push(await deliver(store, account, words));
  }
  assert.deepEqual(
    await threadsOf(store, owner, ids),
    ids.map(() => null),
    'the same Message-ID alone, or none',
  );
  const siblings = [
    await deliver(store, account, { references: ['<gone>'] }),
    await deliver(store, account, { inReplyTo: '<gone>' }),
  ];
  assert.deepEqual(await threadsOf(store, owner, siblings), [siblings[0], siblings[0]]);
  const other = await newAccount(store, owner, domain.id, 'other@app.test');
  const elsewhere = await deliver(store, other, { inReplyTo: '<gone>' });
  assert.deepEqual(await threadsOf(store, owner, [elsewhere]), [null], 'accounts are apart');
  const both = await deliver(store, account, { inReplyTo: '<a>' });
  assert.deepEqual(await threadsOf(store, owner, [ids[0] ?? 0, ids[1] ?? 0, both]), [ids[0], ids[0], ids[0]]);
});

// Stores rewrite the smaller conversation, which may be the earlier or the later one.
for (const [sizes, replies] of [
  ['the earlier is smaller', ['<a>', '<b>', '<b>']],
  ['the later is smaller', ['<a>', '<a>', '<b>']],
] as const) {
  onEachStore(`a message can bring conversations together: ${sizes}`, async ({ store, owner, account }) => {
    const a = await deliver(store, account, { msgid: '<a>' });
    const b = await deliver(store, account, { msgid: '<b>' });
    const ids = [a, b];
    for (const [i, inReplyTo] of replies.entries()) {
      ids.push(await deliver(store, account, { msgid: `<${i}>`, inReplyTo, references: [`<gone${i}>`] }));
    }
    const single = await deliver(store, account, { msgid: '<c>' });
    const x = await deliver(store, account, { msgid: '<x>' });
    const bystanders = [x, await deliver(store, account, { inReplyTo: '<x>', references: ['<gone-x>'] })];
    const apart = replies.map((parent) => (parent === '<a>' ? a : b));
    assert.deepEqual(await threadsOf(store, owner, [...ids, single]), [a, b, ...apart, null]);
    const bridge = await deliver(store, account, { references: ['<0>', '<2>', '<c>'] });
    const all = [...ids, single, bridge];
    // References to either conversation's missing parents lead to the joined conversation.
    for (const i of replies.keys()) {
      all.push(await deliver(store, account, { references: [`<gone${i}>`] }));
    }
    assert.deepEqual(
      await threadsOf(store, owner, all),
      all.map(() => a),
    );
    bystanders.push(await deliver(store, account, { references: ['<gone-x>'] }));
    assert.deepEqual(
      await threadsOf(store, owner, bystanders),
      bystanders.map(() => x),
    );
  });
}

onEachStore(
  'a conversation follows its earliest message that is not deleted',
  async ({ store, owner, account }) => {
    const a = await deliver(store, account, { msgid: '<a>' });
    const b = await deliver(store, account, { msgid: '<b>', inReplyTo: '<a>' });
    const c = await deliver(store, account, { msgid: '<c>', inReplyTo: '<a>' });
    await store.messages.remove(owner, a, now());
    assert.deepEqual(await threadsOf(store, owner, [b, c]), [b, b]);
    await store.messages.remove(owner, b, now());
    assert.deepEqual(await threadsOf(store, owner, [c]), [null]);
    const d = await deliver(store, account, { inReplyTo: '<a>' });
    assert.deepEqual(await threadsOf(store, owner, [c, d]), [c, c]);
    await store.messages.remove(owner, c, now());
    await store.messages.remove(owner, d, now());
    const e = await deliver(store, account, { inReplyTo: '<c>' });
    assert.deepEqual(await threadsOf(store, owner, [e]), [null], 'the dead link nothing');
  },
);

onEachStore(
  'mails of one batch are linked, and a mail of two messages is not with itself',
  async ({ store, owner, account }) => {
    const verdicts = await store.deliveries.commit([
      mail([target(account), target(account, { mailbox: 'Sent' })], { msgid: '<a>' }),
      mail([target(account)], { msgid: '<b>', inReplyTo: '<a>' }),
    ]);
    const ids = verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.ids : []));
    const [first = 0] = ids;
    const threads = await Promise.all(ids.map(async (id) => (await messageOf(store, owner, id)).threadId));
    assert.deepEqual(threads, [first, first, first]);
    const alone = await store.deliveries.commit([
      mail([target(account), target(account, { mailbox: 'Sent' })], { msgid: '<z>' }),
    ]);
    assert.ok(alone[0] && 'ids' in alone[0]);
    assert.equal((await messageOf(store, owner, alone[0].ids[0] ?? 0)).threadId, null);
  },
);

onEachStore('only the last hundred references count', async ({ store, owner, account }) => {
  const first = await deliver(store, account, { msgid: '<0>' });
  const last = await deliver(store, account, { msgid: '<149>' });
  const references = Array.from({ length: 150 }, (_, i) => `<${i}>`);
  const long = await deliver(store, account, { references });
  assert.deepEqual(await threadsOf(store, owner, [first, last, long]), [null, last, last]);
  assert.equal((await idsOf(store, owner, {})).length, 3);
});
