import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchTimeout } from '#core/errors.ts';
import type { MailEvent } from '#core/events/event.ts';
import { termsOf } from '#core/messages/query.ts';
import { type SearchTurns, unlimitedSearches } from '#core/messages/search-turns.ts';
import type { Services } from '#setup/services.ts';
import type { ReconcilePorts } from '../reconcile.ts';
import { NotLeading } from '../runtime/failures.ts';
import { keyOf, type Resource } from '../runtime/resource.ts';
import type { MailExpectationResource } from './decide.ts';
import { createMailExpectationKind } from './kind.ts';

const created = Date.parse('2026-11-27T10:00:00Z');
const team = 7;

function resource(spec: MailExpectationResource['spec'] = {}): Resource {
  const creationTimestamp = new Date(created).toISOString();
  const metadata = { namespace: 'qa', name: 'e', uid: 'u', resourceVersion: '1', generation: 1 };
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind: 'MailExpectation',
    metadata: { ...metadata, creationTimestamp },
    spec,
  };
}

/** Kind on a store without a matching email, and with events at some times after the creation. `nowMs` is the time since then. */
function scene(eventsAt: number[], nowMs: number) {
  const state = { nowMs, isSlow: false, removed: 0, asked: [] as string[] };
  const events = eventsAt.map(
    (at, index) => ({ number: index + 1, at: new Date(created + at) }) as MailEvent,
  );
  const clock = () => new Date(created + state.nowMs);
  const searches: SearchTurns = { search: (_owner, _filter, _asker, work) => unlimitedSearches(work) };
  const services: unknown = {
    journal: {
      heads: async () => new Map([[team, 9]]),
      read: async (_team: number, after: number) => events.filter(({ number }) => number > after),
    },
    feed: { follow: () => ({ stop() {} }) },
    messages: {
      async list(_owner: number, { query = { all: [] } }: { query?: Parameters<typeof termsOf>[0] }) {
        state.asked = termsOf(query).map(({ term }) => term.field);
        if (state.isSlow) throw new SearchTimeout();
        return { items: [], total: 0 };
      },
    },
    ...{ clock, searches, retentionDays: 30, metrics: { limitReached() {} }, log: { warn() {} } },
  };
  const kind = createMailExpectationKind(services as Services);
  let newest = resource();
  const ports: ReconcilePorts = {
    api: {
      read: async () => newest,
      addFinalizer: async (one) => one,
      removeFinalizer: async (one) => one,
      async remove() {
        state.removed += 1;
      },
      applyStatus: async (one, status) => ({ ...one, status }),
    },
    definitions: { read: async () => ({ lacking: [], statusLacking: [], defaults: {} }) },
    tenants: { find: async () => team, ensure: async () => team },
    events: { record: async () => {}, warn: async () => {} },
    onWritten(written) {
      newest = written;
    },
    ...{ clock, onEffect() {}, onReleased() {}, limitReached() {}, isLeading: () => true },
  };
  const stopping = new AbortController();
  return {
    ...{ kind, state, stopping },
    listen: () => kind.listener?.listen(() => {}, stopping.signal),
    async reconcile(given = newest) {
      newest = given;
      const laterMs = await kind.reconcile(ports, newest);
      const { conditions = [], cursor } = (newest as MailExpectationResource).status ?? {};
      const told = conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
      return { laterMs, cursor, told };
    },
  };
}

test('a search that takes too long leaves a wait with a beginning and an end, and the end is one', async () => {
  const { state, reconcile, listen } = scene([100], 500);
  listen();
  state.isSlow = true;
  const begun = await reconcile(resource({ within: '5s', ttlAfterFinished: '10s' }));
  assert.deepEqual([begun.cursor, begun.laterMs], [0, 5500]);
  assert.ok(begun.told.includes('Ready False SearchTimeout') && begun.told.includes('Met False Waiting'));
  state.nowMs = 6999;
  const ended = await reconcile();
  assert.ok(ended.told.includes('Failed True SearchTimeout'), ended.told.join());
  // The status shows 6000 ms as the end.
  assert.equal(ended.laterMs, 10_001);
  state.nowMs = 16_999;
  assert.equal((await reconcile()).laterMs, 1);
  assert.equal(state.removed, 0);
  state.nowMs = 17_000;
  await reconcile();
  assert.equal(state.removed, 1);
});

test('one that goes at its end does so at once', async () => {
  const { state, reconcile, listen } = scene([], 3000);
  listen();
  await reconcile(resource({ within: '1s', ttlAfterFinished: '0s' }));
  assert.equal(state.removed, 1);
});

test('mail of the second of the creation counts, except where the creation was watched', async () => {
  const times = [-5000, 300, 600];
  const watched = scene(times, 500);
  watched.listen();
  watched.kind.listener?.notice(keyOf(resource()), resource(), true);
  assert.equal((await watched.reconcile()).cursor, 2);
  const listed = scene(times, 700);
  listed.listen();
  listed.kind.listener?.notice(keyOf(resource()), resource(), false);
  assert.equal((await listed.reconcile()).cursor, 1);
  assert.deepEqual(listed.state.asked, []);
});

test('mail from before the creation does not count where its events are pruned', async () => {
  const { state, reconcile, listen } = scene([], 86_400_000);
  listen();
  assert.equal((await reconcile(resource({ to: 'qa', within: '48h' }))).cursor, 0);
  assert.deepEqual(state.asked, ['to', 'after']);
});

test('an operator that ends does not say that there is too much to wait for', async () => {
  const { stopping, reconcile, listen } = scene([], 500);
  await assert.rejects(reconcile(), NotLeading);
  const listening = listen();
  await reconcile();
  stopping.abort();
  await listening;
  await assert.rejects(reconcile(resource()), NotLeading);
});
