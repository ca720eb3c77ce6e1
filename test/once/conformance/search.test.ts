import assert from 'node:assert/strict';
import { foldText } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import type { SearchTerms } from '#core/messages/search-turns.ts';
import { parseQuery } from '#core/query/parse.ts';
import { searching } from '#test/support/stores/searching.ts';
import { mail } from './mail.ts';
import {
  deliver,
  idsOf,
  mailboxId,
  newAccount,
  newDomain,
  newUser,
  now,
  onEachStore,
  target,
  wholePage,
} from './scene.ts';

onEachStore(
  'every word must occur in subject, sender, recipients or text',
  async ({ store, owner, account }) => {
    const a = await deliver(store, account, {
      subject: 'Welcome aboard, 100% ÜBER_cool',
      text: 'Your code is 123456.\nHave a nice day',
      from: 'Robot@shop.test',
      to: ['Alice@app.test', 'bob@app.test'],
    });
    const b = await deliver(store, account, {
      subject: 'Invoice 77',
      text: 'Please pay',
      from: 'billing@shop.test',
    });
    const cases: [string[], number[]][] = [
      [[], [b, a]],
      [['welcome'], [a]],
      [['123456'], [a]],
      [['2345'], [a]],
      [['shop.test'], [b, a]],
      [['robot', 'nice'], [a]],
      [['robot', 'pay'], []],
      [['alice@app'], [a]],
      [['über_cool'], [a]],
      [['uber'], [a]],
      [['100%'], [a]],
      [['1%0'], []],
      [['have a nice'], [a]],
      [['day robot'], []],
      [["'; DROP TABLE message"], []],
    ];
    for (const [words, ids] of cases) {
      assert.deepEqual(
        await idsOf(store, owner, searching({ words: words.map(foldText) })),
        ids,
        words.join(' '),
      );
    }
  },
);

onEachStore('from, to and subject each look in their own field', async ({ store, owner, account }) => {
  const a = await deliver(store, account, {
    subject: 'one',
    text: 'two',
    from: 'three@x.test',
    to: ['four@y.test', 'five@y.test'],
  });
  const cases: [Parameters<typeof idsOf>[2], number[]][] = [
    [searching({ subject: 'one' }), [a]],
    [searching({ subject: 'two' }), []],
    [searching({ from: 'three' }), [a]],
    [searching({ from: 'four' }), []],
    [searching({ to: 'four@' }), [a]],
    [searching({ to: 'five' }), [a]],
    [searching({ to: 'three' }), []],
    [searching({ subject: 'one', from: 'three', to: 'four', words: ['two'] }), [a]],
    [searching({ subject: 'one', from: 'nobody' }), []],
    [{ ...searching({ subject: 'one' }), after: 1 }, []],
    [{ ...searching({ subject: 'one' }), mailboxPath: 'Trash' }, []],
  ];
  for (const [filter, ids] of cases)
    assert.deepEqual(await idsOf(store, owner, filter), ids, JSON.stringify(filter));
});

onEachStore('a mail that names nobody is found by its envelope', async ({ store, owner, account }) => {
  const a = await deliver(store, account, { from: null, to: [], subject: 'x', text: 'y' });
  for (const filter of [
    searching({ to: 'qa@app' }),
    searching({ from: 'bounce@' }),
    searching({ words: ['qa@app'] }),
    searching({ words: ['bounce'] }),
  ]) {
    assert.deepEqual(await idsOf(store, owner, filter), [a], JSON.stringify(filter));
  }
});

onEachStore('an envelope is searched by its own user only', async ({ store, owner, account }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  const domain = await newDomain(store, stranger, 'blind.test');
  const theirs = await newAccount(store, stranger, domain.id, 'secret@blind.test');
  const [verdict] = await store.deliveries.commit([mail([target(account), target(theirs)], { to: [] })]);
  assert.ok(verdict && 'ids' in verdict);
  assert.deepEqual(await idsOf(store, owner, searching({ words: ['secret'] })), []);
  assert.deepEqual(await idsOf(store, stranger, searching({ words: ['secret'] })), [verdict.ids[1]]);
});

onEachStore('a long text is searched to its end', async ({ store, owner, account }) => {
  const a = await deliver(store, account, { text: `${'padding '.repeat(100_000)}needle` });
  assert.deepEqual(await idsOf(store, owner, searching({ words: ['needle'] })), [a]);
});

onEachStore('a mail is found by its recipient, with or without a tag', async ({ store, owner, account }) => {
  const tagged = target(account, { deliveredTo: 'qa+run7@app.test', tag: 'run7' });
  await store.deliveries.commit([mail([tagged], { to: ['list@elsewhere.test'] })]);
  const total = async (filter: MessageFilter) =>
    (await store.messages.list(owner, filter, wholePage, now())).total;
  assert.equal(await total(searching({ to: 'qa@app.test' })), 1);
  assert.equal(await total(searching({ to: 'qa+run7@' })), 1);
  assert.equal(await total(searching({ to: 'list@elsewhere.test' })), 1);
  assert.equal(await total(searching({ to: 'other@app.test' })), 0);
});

onEachStore('a text is found literally, whatever characters it has', async ({ store, owner, account }) => {
  const odd = [
    'nul\0nul',
    '^a.*b$',
    '(x|y)[z]{2}+?',
    'back\\slash',
    '\u0001\u001f',
    '\u{1F600}',
    'x\ufffey',
    '\\e\\q',
    '$subject',
  ];
  const ids = [];
  for (const text of odd) {
    ids.push(await deliver(store, account, { subject: text, text, from: text, to: [text] }));
  }
  for (const [index, text] of odd.entries()) {
    const folded = foldText(text);
    for (const filter of [{ words: [folded] }, { to: folded }, { from: folded }, { subject: folded }].map(
      searching,
    )) {
      assert.deepEqual(await idsOf(store, owner, filter), [ids[index]], JSON.stringify(filter));
    }
  }
  const parts: [string, number[]][] = [
    ['\0', ids.slice(0, 1)],
    ['.', ids.slice(1, 2)],
    ['nul\0\0nul', []],
    ['a.*c', []],
  ];
  for (const [subject, found] of parts)
    assert.deepEqual(await idsOf(store, owner, searching({ subject })), found, subject);
});

onEachStore('a subject is found whole, folded and in any part', async ({ store, owner, account }) => {
  const long = `${'padding '.repeat(150)}needle`;
  const subjects = ['Two  Words', 'CAFÉ', long, 'plain'];
  const ids: Id[] = [];
  for (const subject of subjects) ids.push(await deliver(store, account, { subject }));
  const [spaced, accented, cut, plain] = ids;
  const cases: [string, (Id | undefined)[]][] = [
    ['subject:words', [spaced]],
    ['subject:"two words"', [spaced]],
    ['subject:cafe', [accented]],
    ['subject:needle', [cut]],
    ['-subject:needle -subject:cafe', [plain, spaced]],
    ['subject:plain OR subject:needle', [plain, cut]],
    ['subject:plain subject:needle', []],
    ['-(subject:words subject:two)', [plain, cut, accented]],
  ];
  for (const [q, found] of cases) {
    assert.deepEqual(await idsOf(store, owner, filterWith({}, parseQuery(q))), found, q);
  }
});

onEachStore('a search shows the page that it is asked for', async ({ store, owner, account }) => {
  const [a, b, c] = [
    await deliver(store, account),
    await deliver(store, account),
    await deliver(store, account),
  ];
  for (const [page, ids] of [[c, b], [a], []].entries()) {
    const asked = { page: page + 1, limit: 2 };
    const { items, total } = await store.messages.list(owner, searching({ words: ['hi'] }), asked, now());
    assert.deepEqual([items.map(({ id }) => id), total], [ids, 3], `page ${asked.page}`);
  }
});

onEachStore('a search leaves copies in Sent out, unless it is for their mailbox', async (scene) => {
  const { store, owner, account } = scene;
  const targets = [target(account), target(account, { mailbox: 'Sent' })];
  const [verdict] = await store.deliveries.commit([mail(targets, { subject: 'Invoice' })]);
  assert.ok(verdict !== undefined && 'ids' in verdict);
  const [received = 0, copy = 0] = verdict.ids;
  const found = (filter: MessageFilter) =>
    idsOf(store, owner, { ...filter, ...searching({ words: ['invoice'] }) });
  assert.deepEqual(await found({}), [received]);
  assert.deepEqual(await found({ accountId: account.id }), [received]);
  assert.deepEqual(await found({ mailboxPath: 'Sent' }), [copy]);
  assert.deepEqual(await found({ accountId: account.id, mailboxId: mailboxId(account, 'Sent') }), [copy]);
});

onEachStore('an aborted search ends at once', async ({ store, owner, account }) => {
  await deliver(store, account);
  const gone = new AbortController();
  const terms: SearchTerms = {
    signal: gone.signal,
    async turn(slice) {
      gone.abort(new Error('gone'));
      gone.signal.throwIfAborted();
      return slice();
    },
  };
  await assert.rejects(
    store.messages.list(owner, searching({ words: ['hi'] }), wholePage, now(), (work) => work(terms)),
    /gone/,
  );
  assert.equal((await idsOf(store, owner, searching({ words: ['hi'] }))).length, 1);
});
