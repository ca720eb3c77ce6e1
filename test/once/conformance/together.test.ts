import assert from 'node:assert/strict';
import type { DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import type { Store } from '#core/store.ts';
import { mail } from './mail.ts';
import { countsOf, journalOf, newAccount, onEachStore, target } from './scene.ts';

/** More emails than a store receives at the same time. */
const many = 1000;

const commit = (store: Store, mails: PreparedMail[], wholly: boolean) =>
  store.deliveries.commit(mails, { wholly });
const stored = (verdicts: DeliveryVerdict[]) => verdicts.filter((verdict) => 'ids' in verdict).length;

onEachStore('the mails of a request are stored in their order', async ({ store, owner, account }) => {
  const mails = Array.from({ length: many }, (_, at) => mail([target(account)], { subject: `mail ${at}` }));
  const verdicts = await commit(store, mails, true);
  assert.equal(stored(verdicts), many);
  const events = await journalOf(store, owner);
  assert.deepEqual(
    events.map((event) => 'subject' in event && event.subject),
    mails.map((_, at) => `mail ${at}`),
  );
  assert.deepEqual(
    verdicts
      .flatMap((verdict) => ('commits' in verdict ? verdict.commits : []))
      .flatMap(({ events }) => events),
    events,
  );
  assert.deepEqual(await commit(store, [], true), []);
});

onEachStore(
  'an account that is filled by the middle of a request refuses all of it, or the mails that do not fit',
  async ({ store, owner, domain, account }) => {
    const small = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit: 100_000 });
    const mails = Array.from({ length: many }, (_, at) =>
      mail([target(at === 0 ? account : small)], { sizeBytes: 1000 }),
    );
    const refused = { reason: 'no-room', address: 'small@app.test' };
    assert.deepEqual(await commit(store, mails, true), Array(many).fill(refused));
    assert.equal((await countsOf(store, account)).usedBytes + (await countsOf(store, small)).usedBytes, 0);
    assert.deepEqual(await journalOf(store, owner), []);
    const verdicts = await commit(store, mails, false);
    const fit = stored(verdicts);
    assert.ok(fit > 1 && fit < many, `${fit} were stored`);
    assert.equal((await journalOf(store, owner)).length, fit);
  },
);

onEachStore(
  'an account that is gone refuses a request that names it',
  async ({ store, owner, domain, account }) => {
    const gone = await newAccount(store, owner, domain.id, 'gone@app.test');
    await store.accounts.softDelete(owner, gone.id, new Date());
    const mails = [account, gone, account].map((one) => mail([target(one)]));
    assert.equal(stored(await commit(store, mails, true)), 0);
    assert.equal((await countsOf(store, account)).usedBytes, 0);
    assert.equal(stored(await commit(store, mails, false)), 2);
  },
);

onEachStore(
  'groups of a commit are stored all or none, and are not those of another commit',
  async ({ store, owner, domain, account }) => {
    const small = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit: 1000 });
    const sized = (one: typeof account, sizeBytes: number, group?: number) => ({
      ...mail([target(one)], { sizeBytes }),
      ...(group !== undefined && { group }),
    });
    const fitting = [sized(account, 100, 0), sized(account, 100, 0)];
    const mixed = [...fitting, sized(account, 100, 1), sized(small, 2000, 1), sized(account, 100)];
    const outcomes = await Promise.all([commit(store, mixed, false), commit(store, fitting, false)]);
    assert.deepEqual(
      outcomes.map((verdicts) => verdicts.map((verdict) => 'ids' in verdict)),
      [
        [true, true, false, false, true],
        [true, true],
      ],
    );
    assert.equal((await journalOf(store, owner)).length, 5);
    const apart = [[sized(small, 2000, 0)], [sized(account, 100, 0)]];
    const verdicts = await Promise.all(apart.map((mails) => commit(store, mails, false)));
    assert.deepEqual(verdicts.map(stored), [0, 1]);
  },
);

onEachStore(
  'a store that fails in the middle of a request has none of it',
  async ({ store, owner, account }) => {
    const writer = store.deliveries.writeBody();
    await writer.write(Buffer.from('Subject: lost\r\n\r\nlost\r\n'));
    const body = await writer.finish();
    await writer.discard();
    const lost = { ...mail([target(account)]), body };
    for (const wholly of [true, false]) {
      const mails = [
        ...Array.from({ length: 600 }, () => mail([target(account)])),
        lost,
        mail([target(account)]),
      ];
      await assert.rejects(commit(store, mails, wholly));
      assert.equal((await countsOf(store, account)).usedBytes, 0);
      assert.deepEqual(await journalOf(store, owner), []);
    }
    assert.equal(stored(await commit(store, [mail([target(account)])], true)), 1);
  },
);
