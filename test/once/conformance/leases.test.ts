import assert from 'node:assert/strict';
import { StoreUnavailable } from '#core/errors.ts';
import { onEachStore } from './scene.ts';

onEachStore('a lease has one holder, until it is released or its time is over', async ({ store }) => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, seconds));
  const claim = (holder: string, seconds: number, name = 'upkeep') =>
    store.leases.claim(name, holder, 10_000, at(seconds));
  const release = (holder: string, seconds: number) => store.leases.claim('upkeep', holder, 0, at(seconds));
  await release('a', 0);
  assert.equal(await claim('a', 0), true);
  assert.equal(await claim('b', 9), false);
  assert.equal(await claim('a', 9), true, 'renewed');
  assert.equal(await claim('b', 18), false);
  assert.equal(await claim('b', 0, 'another'), true);
  assert.equal(await claim('b', 19), true, 'its time was over');
  assert.equal(await claim('a', 20), false);
  await release('a', 20);
  assert.equal(await claim('a', 20), false, 'only the holder lets go');
  await release('b', 20);
  assert.equal(await claim('a', 20), true);
});

onEachStore('a store answers until it is closed', async ({ store, opened, owner }) => {
  await store.ping();
  const again = await opened.reopen();
  await assert.rejects(store.ping(), StoreUnavailable);
  await assert.rejects(store.users.findById(owner), StoreUnavailable);
  await assert.rejects(store.users.setPassword(owner, 'x'), StoreUnavailable);
  await again.ping();
  assert.equal((await again.users.findById(owner))?.id, owner);
});
