import assert from 'node:assert/strict';
import { defaultFlags } from '#core/accounts/account.ts';
import { contentOf } from '#core/messages/mail-record.ts';
import { mail } from './mail.ts';
import {
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
  target,
  wholePage,
} from './scene.ts';

const attachment = {
  id: 1,
  filename: 'a.txt',
  contentType: 'text/plain',
  sizeBytes: 2,
  disposition: 'attachment' as const,
  contentId: null,
  sha256: '00',
  body: { start: 0, end: 2, encoding: 'identity' as const },
};

onEachStore('a message is as it was delivered, alone and in lists', async ({ store, owner, account }) => {
  const receivedAt = new Date(Date.now() - 1000);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const plain = mail([target(account)], { receivedAt, from: null, to: [], text: 'plain' });
  const words = { receivedAt, msgid: '<1@app.test>', html: '<p>hi</p>', attachments: [attachment], traceId };
  const rich = mail([target(account, { tag: 'run', deliveredTo: 'qa+run@app.test' })], words);
  for (const delivered of [plain, rich]) {
    const [verdict] = await store.deliveries.commit([delivered]);
    assert.ok(verdict && 'ids' in verdict);
    const id = verdict.ids[0] ?? 0;
    const content = contentOf(delivered);
    const [wanted] = delivered.targets;
    const { number, threadId, ...message } = await messageOf(store, owner, id);
    assert.deepEqual(message, {
      id,
      accountId: account.id,
      mailboxId: mailboxId(account, 'INBOX'),
      msgid: content.msgid,
      subject: content.subject,
      intro: content.intro,
      code: '123456',
      mainLink: 'https://app.test/x',
      fromAddress: content.from?.address ?? 'bounce@elsewhere.test',
      fromName: content.from?.name || null,
      toAddresses: content.to.length > 0 ? ['qa@app.test'] : wanted?.envelope.rcptTo,
      receivedAt,
      expiresAt: null,
      autoDelete: true,
      tags: [],
      traceId: content.traceId ?? null,
      sizeBytes: delivered.sizeBytes,
      isRead: false,
      isFlagged: false,
      hasAttachments: delivered === rich,
      copy: false,
      envelope: wanted?.envelope,
      deliveredTo: wanted?.deliveredTo,
      tag: wanted?.tag,
      content,
    });
    const { envelope, deliveredTo, tag, content: __, ...summary } = { number, threadId, ...message };
    const { items } = await store.messages.list(owner, {}, wholePage, now());
    assert.deepEqual(
      items.find((item) => item.id === id),
      summary,
    );
  }
});

onEachStore('a message keeps the state that it is restored with', async ({ store, owner, account }) => {
  const expiresAt = new Date(Date.now() + 86_400_000);
  const states = [
    { isRead: true, isFlagged: false, expiresAt, autoDelete: true, copy: true },
    { isRead: false, isFlagged: true, expiresAt: null, autoDelete: false, copy: false },
  ];
  for (const state of states) {
    const targets = [target(account, { mailbox: { id: mailboxId(account, 'Sent'), ...state } })];
    const [verdict] = await store.deliveries.commit([mail(targets)]);
    assert.ok(verdict && 'ids' in verdict);
    const { isRead, isFlagged, autoDelete, copy, ...rest } = await messageOf(
      store,
      owner,
      verdict.ids[0] ?? 0,
    );
    assert.deepEqual({ isRead, isFlagged, expiresAt: rest.expiresAt, autoDelete, copy }, state);
  }
  assert.equal((await idsOf(store, owner, { mailboxPath: 'Sent' })).length, 2);
});

onEachStore(
  'a look-up of a recipient gives all fields that decide about it',
  async ({ store, owner, domain, account }) => {
    const differs = { active: false, storageLimit: 7, passwordHash: 'its hash' };
    const off = await newAccount(store, owner, domain.id, 'off@app.test', differs);
    const all = await newAccount(store, owner, domain.id, 'all@app.test', { catchAll: true });
    const lookUp = (...addresses: string[]) => store.deliveries.lookUp('app.test', addresses);
    const limit = account.storageLimit;
    const shown = { ...defaultFlags, storageLimit: limit, usedBytes: 0, passwordHash: null };
    const caught = { ...shown, id: all.id, address: 'all@app.test', catchAll: true };
    const answer = await lookUp('qa@app.test', 'off@app.test');
    const byAddress = answer?.accounts.toSorted((a, b) => a.address.localeCompare(b.address));
    assert.deepEqual(byAddress, [
      { ...shown, id: off.id, address: 'off@app.test', ...differs },
      { ...shown, id: account.id, address: 'qa@app.test' },
    ]);
    assert.deepEqual(answer?.domain, {
      id: domain.id,
      owner,
      active: true,
      verified: false,
      assumedClientIp: null,
      failures: 0,
    });
    assert.deepEqual((await lookUp('nobody@app.test'))?.accounts, [caught]);
    assert.equal(await store.deliveries.lookUp('nobody.test', ['qa@nobody.test']), null);
    const other = await newDomain(store, await newUser(store, 'stranger@team.test'), 'other.test');
    const verification = { ...other.verification, status: 'verified' as const };
    await store.domains.update(other.owner, other.id, { active: false, verification }, new Date());
    const strange = await store.deliveries.lookUp('other.test', ['qa@app.test']);
    assert.deepEqual(strange?.domain, {
      id: other.id,
      owner: other.owner,
      active: false,
      verified: true,
      assumedClientIp: null,
      failures: 0,
    });
    assert.deepEqual(strange?.accounts, []);
  },
);

onEachStore(
  'a copy in Sent has the newest number, and no event of its own',
  async ({ store, owner, account }) => {
    await deliverMany(store, account, 2);
    const mails = [mail([target(account, { mailbox: 'Sent' })])];
    const [verdict] = await store.deliveries.commit(mails);
    assert.ok(verdict && 'ids' in verdict);
    const { number, isRead, copy } = await messageOf(store, owner, verdict.ids[0] ?? 0);
    assert.deepEqual({ number, isRead, copy }, { number: 2, isRead: true, copy: true });
    assert.equal((await journalOf(store, owner)).length, 2);
  },
);
