import assert from 'node:assert/strict';
import { contentOf } from '#core/messages/mail-record.ts';
import { mail } from './mail.ts';
import {
  countsOf,
  deliver,
  deliverMany,
  idsOf,
  journalOf,
  mailboxId,
  messageOf,
  newAccount,
  newDomain,
  newUser,
  now,
  onEachStore,
  rawOf,
  target,
  wholePage,
} from './scene.ts';

onEachStore('a mail is stored completely when its commit ends', async ({ store, owner, account }) => {
  const bytes = Buffer.from('Subject: \xff\x00\r\n\r\nbody\r\n', 'latin1');
  const receivedAt = new Date('2026-11-21T10:00:00.123Z');
  const prepared = mail([target(account, { deliveredTo: 'qa+a@app.test', tag: 'a' })], {
    subject: 'Ünïcode \u0000 and \u{1f600}',
    text: 'text\u0000more',
    html: '<p>html</p>',
    msgid: '<1@elsewhere.test>',
    bytes,
    receivedAt,
  });
  const [verdict] = await store.deliveries.commit([prepared]);
  assert.ok(verdict && 'ids' in verdict);
  const [id = 0] = verdict.ids;
  const visibility = { now: receivedAt, receivedAfter: new Date(0) };
  const message = await store.messages.find(owner, id, visibility);
  const content = contentOf(prepared);
  assert.deepEqual(message, {
    id,
    number: 1,
    accountId: account.id,
    mailboxId: mailboxId(account, 'INBOX'),
    msgid: '<1@elsewhere.test>',
    subject: 'Ünïcode \u0000 and \u{1f600}',
    intro: 'text\u0000more',
    code: '123456',
    mainLink: 'https://app.test/x',
    tags: [],
    traceId: null,
    threadId: null,
    fromAddress: 'sender@elsewhere.test',
    fromName: null,
    toAddresses: ['qa@app.test'],
    receivedAt,
    expiresAt: null,
    autoDelete: true,
    sizeBytes: bytes.length,
    isRead: false,
    isFlagged: false,
    hasAttachments: false,
    copy: false,
    envelope: prepared.targets[0]?.envelope,
    deliveredTo: 'qa+a@app.test',
    tag: 'a',
    content,
  });
  const { items } = await store.messages.list(owner, {}, wholePage, visibility);
  const { envelope: _e, deliveredTo: _d, tag: _t, content: _c, ...summary } = message ?? {};
  assert.deepEqual(items, [summary]);
  assert.ok((await rawOf(store, owner, id)).equals(bytes));
  assert.deepEqual(verdict.commits, [{ owner, result: [id], events: await journalOf(store, owner) }]);
});

onEachStore(
  'each target becomes a message, and owners see their own only',
  async ({ store, owner, account }) => {
    const other = await newUser(store, 'other@team.test');
    const otherDomain = await newDomain(store, other, 'other.test');
    const theirs = await newAccount(store, other, otherDomain.id, 'x@other.test');
    const [verdict] = await store.deliveries.commit([mail([target(theirs), target(account)])]);
    assert.ok(verdict && 'ids' in verdict);
    const [theirId = 0, ownId = 0] = verdict.ids;
    assert.deepEqual(
      verdict.commits.map(({ owner, result }) => ({ owner, result })),
      [
        { owner, result: [ownId] },
        { owner: other, result: [theirId] },
      ],
    );
    assert.deepEqual(await idsOf(store, owner, {}), [ownId]);
    assert.deepEqual(await idsOf(store, other, {}), [theirId]);
    assert.equal(await store.messages.find(owner, theirId, now()), null);
    assert.equal(await store.messages.raw(owner, theirId, now()), null);
  },
);

onEachStore('mails to two users count for each of them', async ({ store, owner, account }) => {
  const other = await newUser(store, 'other@team.test');
  const otherDomain = await newDomain(store, other, 'other.test');
  const theirs = await newAccount(store, other, otherDomain.id, 'x@other.test');
  // Two more events for one user, so no event number is right for both.
  await deliverMany(store, theirs, 2);
  for (const count of [1, 2, 3]) {
    await store.deliveries.commit([mail([target(theirs), target(account)])]);
    assert.deepEqual(
      await store.journal.heads([owner, other]),
      new Map([
        [owner, count],
        [other, count + 2],
      ]),
    );
    // Lists that a cache may hold from the previous round show the new message.
    assert.equal((await idsOf(store, owner, {})).length, count);
    assert.equal((await idsOf(store, other, {})).length, count + 2);
  }
});

onEachStore('numbers follow the order of the batch', async ({ store, owner, account }) => {
  const batch = ['a', 'b', 'c'].map((subject) => mail([target(account)], { subject }));
  const verdicts = await store.deliveries.commit(batch);
  const ids = verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.ids : []));
  assert.deepEqual(await idsOf(store, owner, {}), ids.toReversed());
  assert.deepEqual(
    (await journalOf(store, owner)).map((event) => [event.number, event.messageId, event.messageNumber]),
    ids.map((id, i) => [i + 1, id, i + 1]),
  );
});

onEachStore(
  'a copy in Sent is read, has no event, and has the number of the message that was sent',
  async ({ store, owner, domain, account }) => {
    const receiver = await newAccount(store, owner, domain.id, 'to@app.test');
    await deliver(store, receiver);
    const prepared = mail([target(receiver), target(account), target(account, { mailbox: 'Sent' })]);
    const [verdict] = await store.deliveries.commit([prepared]);
    assert.ok(verdict && 'ids' in verdict);
    const [first = 0, second = 0, copy = 0] = verdict.ids;
    const sent = await messageOf(store, owner, copy);
    assert.deepEqual(
      [sent.isRead, sent.copy, sent.number, sent.mailboxId],
      [true, true, 2, mailboxId(account, 'Sent')],
    );
    assert.deepEqual(
      verdict.commits.map(({ events, result }) => [result, events.map((event) => event.messageId)]),
      [
        [
          [first, second, copy],
          [first, second],
        ],
      ],
    );
    assert.deepEqual(await idsOf(store, owner, { accountId: account.id }), [second]);
    assert.deepEqual(await idsOf(store, owner, { mailboxPath: 'sent' }), [copy]);
    assert.deepEqual(await idsOf(store, owner, { accountId: account.id, mailboxPath: 'SENT' }), [copy]);
    assert.deepEqual(await idsOf(store, owner, { mailboxId: mailboxId(account, 'Sent') }), [copy]);
    const size = prepared.sizeBytes;
    assert.deepEqual(await countsOf(store, account, 'Sent'), { usedBytes: 2 * size, total: 1, unread: 0 });
  },
);

onEachStore('all targets of a mail are stored, or none', async ({ store, owner, domain, account }) => {
  const small = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit: 10 });
  const inactive = await newAccount(store, owner, domain.id, 'off@app.test', { active: false });
  const deleted = await newAccount(store, owner, domain.id, 'gone@app.test');
  assert.ok(await store.accounts.softDelete(owner, deleted.id, new Date()));
  const cases = [
    [small, { reason: 'no-room', address: 'small+tag@app.test' }],
    [inactive, { reason: 'inactive', address: 'off+tag@app.test' }],
    [deleted, { reason: 'gone', address: 'gone+tag@app.test' }],
  ] as const;
  for (const [refusing, refusal] of cases) {
    const bad = target(refusing, { deliveredTo: refusal.address });
    const verdicts = await store.deliveries.commit([
      mail([target(account), bad]),
      mail([target(account)], { subject: 'its neighbour' }),
    ]);
    assert.deepEqual(verdicts[0], refusal);
    assert.ok(verdicts[1] && 'ids' in verdicts[1], 'a refused mail harms no other');
  }
  const { items } = await store.messages.list(owner, {}, wholePage, now());
  assert.deepEqual(new Set(items.map((item) => item.subject)), new Set(['its neighbour']));
  assert.equal((await countsOf(store, account)).total, 3);
  assert.equal((await journalOf(store, owner)).length, 3, 'no number is lost');
});

onEachStore('an inactive or deleted domain takes no mail', async ({ store, owner, domain, account }) => {
  const attempt = () => store.deliveries.commit([mail([target(account)])]);
  await store.domains.update(owner, domain.id, { active: false }, new Date());
  assert.deepEqual(await attempt(), [{ reason: 'inactive', address: 'qa@app.test' }]);
  await store.domains.softDelete(owner, domain.id, new Date());
  assert.deepEqual(await attempt(), [{ reason: 'gone', address: 'qa@app.test' }]);
});

onEachStore('addresses that the header lacks come from the envelope', async ({ store, owner, account }) => {
  const id = await deliver(store, account, { from: null, to: [] });
  const { fromAddress, fromName, toAddresses } = await messageOf(store, owner, id);
  assert.deepEqual(
    { fromAddress, fromName, toAddresses },
    {
      fromAddress: 'bounce@elsewhere.test',
      fromName: null,
      toAddresses: ['qa@app.test'],
    },
  );
});

onEachStore(
  'a look-up of a recipient gives the accounts of its addresses, or the catch-all',
  async ({ store, owner, domain, account }) => {
    const catchAll = await newAccount(store, owner, domain.id, '*@app.test', { catchAll: true });
    await newAccount(store, owner, domain.id, 'unasked@app.test');
    const answer = await store.deliveries.lookUp('app.test', ['qa+x@app.test', 'qa@app.test']);
    assert.deepEqual(answer?.domain, {
      id: domain.id,
      owner,
      active: true,
      verified: false,
      assumedClientIp: null,
      failures: 0,
    });
    const ids = answer?.accounts.map((found) => found.id);
    assert.deepEqual(ids, [account.id]);
    for (const address of ['nobody@app.test', '*@app.test']) {
      const asked = await store.deliveries.lookUp('app.test', [address]);
      assert.deepEqual(
        asked?.accounts.map((found) => found.id),
        [catchAll.id],
        address,
      );
    }
    assert.equal(await store.deliveries.lookUp('unknown.test', []), null);
    await store.domains.softDelete(owner, domain.id, new Date());
    assert.equal(await store.deliveries.lookUp('app.test', ['qa@app.test']), null);
  },
);
