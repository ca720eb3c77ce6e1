import assert from 'node:assert/strict';
import { addFailure } from '#core/failures/change-failures.ts';
import type { Id } from '#core/ids.ts';
import { searching } from '#test/support/stores/searching.ts';
import { mail } from './mail.ts';
import { begin, begun, goOn, seesNothing } from './moving.ts';
import {
  accountInput,
  clearAll,
  countsOf,
  deliver,
  deliverMany,
  idsOf,
  journalOf,
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

onEachStore('a small domain moves in one step, with all that belongs to it', async (scene) => {
  const { store, owner, domain, account } = scene;
  const to = await newUser(store, 'other@team.test');
  const second = await newAccount(store, owner, domain.id, 'second@app.test', {
    ...{ catchAll: true, capture: true, passwordHash: 'hash' },
  });
  const kept = await newAccount(store, owner, (await newDomain(store, owner, 'kept.test')).id, 'a@kept.test');
  const keptId = await deliver(store, kept, { subject: 'mail' });
  const theirs = await newAccount(store, to, (await newDomain(store, to, 'theirs.test')).id, 'x@theirs.test');
  const theirIds = await deliverMany(store, theirs, 2);
  const long = 'mail '.repeat(100_000);
  const ids = [
    await deliver(store, account, { msgid: '<a>', subject: 'first mail' }),
    await deliver(store, second, { text: `${long} needle`, subject: 'second' }),
    await deliver(store, account, { msgid: '<b>', inReplyTo: '<a>', sizeBytes: 70 }),
  ];
  const [first = 0, other = 0, reply = 0] = ids;
  const made = await store.mailboxes.insert(owner, account.id, 'Old', new Date());
  assert.ok(made !== null && made !== 'taken');
  await store.messages.update(owner, reply, { mailboxId: made.id }, now());
  const expiresAt = new Date(Date.now() + 3_600_000);
  await store.messages.update(owner, first, { isRead: true, isFlagged: true, expiresAt }, now());
  const dropped = await store.mailboxes.insert(owner, account.id, 'Dropped', new Date());
  assert.ok(dropped !== null && dropped !== 'taken');
  const gone = await deliver(store, account);
  await store.messages.update(owner, gone, { mailboxId: dropped.id }, now());
  await store.mailboxes.softDelete(owner, account.id, dropped.id, new Date());

  const before = {
    accounts: [await store.accounts.find(owner, account.id), await store.accounts.find(owner, second.id)],
    messages: await Promise.all(ids.map((id) => messageOf(store, owner, id))),
    raw: await rawOf(store, owner, first),
    numbers: await store.journal.heads([owner, to]),
  };
  const moved = await begun(store, owner, domain.id, to);
  assert.equal(moved.done, true);
  assert.deepEqual(moved.domain, { ...domain, owner: to, updatedAt: moved.domain.updatedAt });
  assert.deepEqual(await store.rows.read('domain', { team: to, domain: domain.id }), moved.domain);
  assert.equal(moved.domain.active, true);
  await seesNothing(store, owner, account, ids);
  assert.deepEqual(await idsOf(store, owner, {}), [keptId]);

  const owned = [await store.accounts.find(to, account.id), await store.accounts.find(to, second.id)];
  assert.deepEqual(
    owned,
    before.accounts.map((one) => one && { ...one, owner: to }),
  );
  assert.equal(await store.accounts.findCapture(to), second.address);
  assert.equal(await store.accounts.findCapture(owner), null);
  for (const [index, id] of ids.entries()) {
    const message = await messageOf(store, to, id);
    assert.deepEqual(message, { ...before.messages[index], number: message.number });
  }
  assert.deepEqual(await rawOf(store, to, first), before.raw);
  assert.equal((await messageOf(store, to, reply)).threadId, first);
  assert.deepEqual(await idsOf(store, to, {}), [reply, other, first, ...theirIds.toReversed()]);
  assert.deepEqual(await idsOf(store, to, { accountId: account.id }), [reply, first]);
  assert.deepEqual(await idsOf(store, to, searching({ words: ['needle'] })), [other]);
  assert.deepEqual(await idsOf(store, to, searching({ subject: 'first' })), [first]);
  assert.deepEqual(await idsOf(store, to, { flagged: true }), [first]);
  assert.deepEqual(await idsOf(store, to, { after: before.numbers.get(to) ?? 0 }), [reply, other, first]);
  const last = await store.journal.messageNumber(to, theirIds[1] ?? 0);
  assert.deepEqual(await idsOf(store, to, { after: last ?? 0 }), [reply, other, first]);

  const told = await journalOf(store, owner, before.numbers.get(owner));
  assert.deepEqual(
    moved.commits.map(({ owner: team, events }) => [team, events]),
    [[owner, told]],
  );
  assert.deepEqual(new Set(told.map((event) => event.messageId)), new Set(ids));
  assert.ok(told.every(({ type }) => type === 'message.deleted'));
  const earlier = await journalOf(store, owner);
  for (const event of earlier) {
    if (event.type !== 'message.received' || event.messageId === gone) continue;
    assert.equal(event.subject, event.accountId === kept.id ? 'mail' : '', 'subjects of the domain are gone');
  }
  assert.deepEqual((await journalOf(store, to)).length, theirIds.length, 'the new team has no new events');

  const next = await deliver(store, { ...account, owner: to }, { inReplyTo: '<b>' });
  assert.deepEqual((await idsOf(store, to, {})).slice(0, 2), [next, reply]);
  assert.equal((await messageOf(store, to, next)).threadId, first);
  const [cleared] = await clearAll(store);
  assert.deepEqual([cleared?.owner, cleared?.events.map(({ messageId }) => messageId)], [owner, [gone]]);
  assert.deepEqual(await store.messages.remove(to, first, now()).then((commit) => commit?.owner), to);
  assert.equal((await messageOf(store, to, next)).threadId, reply);
});

onEachStore('a move that stops after a step is hidden from both teams, and goes on later', async (scene) => {
  const { opened, owner, domain, account } = scene;
  const { store } = scene;
  const to = await newUser(store, 'other@team.test');
  const theirs = await newAccount(store, to, (await newDomain(store, to, 'theirs.test')).id, 'x@theirs.test');
  const second = await newAccount(store, owner, domain.id, 'second@app.test', {
    ...{ capture: true, simulatesFailures: true },
  });
  const ids: Id[] = [];
  for (let i = 0; i < 4; i += 1) {
    ids.push(await deliver(store, account), await deliver(store, second));
  }
  await store.rows.change(addFailure, { team: to, input: {}, now: new Date() });
  const moved = await begun(store, owner, domain.id, to, 3);
  assert.equal(moved.done, false);
  assert.equal(moved.commits[0]?.events.length, 3);
  const both = [owner, to];
  for (const team of both) await seesNothing(store, team, account, ids);
  for (const team of both) assert.deepEqual(await idsOf(store, team, {}), []);
  assert.equal(await store.accounts.insert(owner, accountInput(domain.id, 'new@app.test')), null);
  assert.equal(await store.accounts.insert(to, accountInput(domain.id, 'new@app.test')), null);
  assert.equal(await store.domains.softDelete(owner, domain.id, new Date()), false);
  assert.equal(await store.rows.read('isFree', { team: owner, domain: 'mail.app.test' }), false);
  const answer = await store.deliveries.lookUp('app.test', [account.address]);
  assert.equal(answer?.domain.active, false, 'mail is deferred');
  const words = [target(account), target({ ...account, owner: to })].map((one) => mail([one]));
  assert.deepEqual(await store.deliveries.commit(words), [
    { reason: 'inactive', address: account.address },
    { reason: 'inactive', address: account.address },
  ]);
  assert.equal(await begin(store, owner, domain.id, await newUser(store, 'third@team.test')), null);
  const cursor = (await store.messages.list(to, {}, wholePage, now())).cursor;
  const meanwhile = await deliver(store, theirs);
  const captures = await newAccount(store, to, theirs.domainId, 'capture@theirs.test', { capture: true });

  const again = await opened.reopen();
  for (const team of both) await seesNothing(again, team, account, ids);
  const resumed = await begun(again, owner, domain.id, to, 2);
  assert.deepEqual({ ...resumed.domain }, moved.domain, 'a repeated call goes on');
  const steps = [moved, resumed, ...(await goOn(again, 2))];
  const progress = steps.map(({ done }) => done);
  assert.deepEqual(progress, [...steps.slice(1).map(() => false), true]);
  const events = steps.flatMap(({ commits }) => commits.flatMap((commit) => commit.events));
  assert.deepEqual(
    events.map(({ messageId }) => messageId).sort((a, b) => a - b),
    ids,
  );
  assert.deepEqual((await journalOf(again, owner)).slice(-ids.length), events);
  assert.deepEqual(await again.rows.read('domain', { team: to, domain: domain.id }), moved.domain);
  assert.deepEqual(await idsOf(again, to, {}), [...ids.toReversed(), meanwhile]);
  assert.deepEqual(await idsOf(again, to, { after: cursor }), [...ids.toReversed(), meanwhile]);
  const after = (await again.journal.messageNumber(to, meanwhile)) ?? 0;
  assert.deepEqual(await idsOf(again, to, { after }), ids.toReversed(), 'they count as committed at the end');
  assert.equal((await countsOf(again, { ...second, owner: to })).total, 4);
  assert.equal(await again.accounts.findCapture(to), captures.address, 'one account captures');
  assert.partialDeepStrictEqual(await again.accounts.find(to, second.id), {
    ...{ capture: false, simulatesFailures: true },
  });
  const found = await again.deliveries.lookUp('app.test', [second.address]);
  assert.equal(found?.domain.failures, 1, 'the failure rules of the new team count');
  assert.equal(await again.moves.step(null, 2, new Date()), null);
  assert.equal(await again.moves.step(domain.id, 2, new Date()), null);
  const late = await again.deliveries.commit([mail([target(account)])]);
  assert.deepEqual(late, [{ reason: 'inactive', address: account.address }], 'accepted before the move');
  await deliver(again, { ...account, owner: to });
  const back = await begun(again, to, domain.id, owner);
  assert.equal(back.done, true);
  assert.equal((await idsOf(again, owner, {})).length, ids.length + 1);
});
