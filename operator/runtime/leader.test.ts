import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { Leader, type LeaseClaim, type LeasePort, type LeaseRecord } from './leader.ts';

/** In-memory Lease. A write succeeds only with the revision that was read last, as in the API server. */
class FakeLease implements LeasePort {
  record: LeaseRecord | null = null;
  isAway = false;
  writes = 0;

  async read(): Promise<LeaseRecord | null> {
    if (this.isAway) throw new Error('away');
    return this.record;
  }

  async write(record: LeaseClaim, before: LeaseRecord | null): Promise<boolean> {
    if (this.isAway) throw new Error('away');
    if (before?.revision !== this.record?.revision) return false;
    this.record = { ...record, acquireTime: null, revision: String(++this.writes) };
    return true;
  }
}

type Candidate = { leader: Leader; terms: string[]; waits: string[]; stop(): void };

/** Starts a candidate, which records the start and end of its terms. */
function compete(t: TestContext, lease: FakeLease, identity: string): Candidate {
  const stopping = new AbortController();
  t.after(() => stopping.abort());
  const terms: string[] = [];
  const waits: string[] = [];
  const onWait = (holder: string) => waits.push(holder);
  const leader = new Leader({ lease, identity, onError: () => {}, onWait, now: () => Date.now() });
  const begun = Date.now();
  const lead = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      terms.push(`begins ${Date.now() - begun}`);
      signal.addEventListener('abort', () => {
        terms.push(`ends ${Date.now() - begun}`);
        resolve();
      });
    });
  void leader.run(stopping.signal, lead);
  return { leader, terms, waits, stop: () => stopping.abort() };
}

/** Advances the clock by seconds and runs the timers that are due. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    mock.timers.tick(1000);
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

function fakeTime(t: TestContext): void {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  t.after(() => mock.timers.reset());
}

test('one of two leads, and the other takes over after the Lease has expired', async (t) => {
  fakeTime(t);
  const lease = new FakeLease();
  const a = compete(t, lease, 'a');
  await settle();
  const b = compete(t, lease, 'b');
  await pass(30);
  assert.deepEqual([a.leader.isLeading(), b.leader.isLeading()], [true, false]);
  // Writes by `a` fail, as in a network partition.
  lease.write = async (record, before) => {
    if (record.holder === 'a') throw new Error('away');
    return FakeLease.prototype.write.call(lease, record, before);
  };
  await pass(11);
  assert.equal(a.leader.isLeading(), false, 'it stops before the other may start');
  assert.match(a.terms.at(-1) ?? '', /^ends/);
  assert.equal(b.leader.isLeading(), false);
  await pass(8);
  assert.equal(b.leader.isLeading(), true);
  assert.deepEqual(b.waits, ['a'], 'one call');
  assert.equal(lease.record?.transitions, 1);
  a.stop();
  b.stop();
});

test('a leader that cannot reach the API server stops after 10 s by its own clock', async (t) => {
  fakeTime(t);
  const lease = new FakeLease();
  const a = compete(t, lease, 'a');
  await pass(5);
  lease.isAway = true;
  await pass(8);
  assert.equal(a.leader.isLeading(), true);
  await pass(3);
  assert.equal(a.leader.isLeading(), false);
  assert.equal(a.terms.length, 2);
  lease.isAway = false;
  await pass(3);
  assert.equal(a.leader.isLeading(), true, 'starts again');
  a.stop();
});

test('a process that was suspended stops leading before any of its timers fires', async (t) => {
  fakeTime(t);
  const lease = new FakeLease();
  const a = compete(t, lease, 'a');
  await pass(5);
  mock.timers.setTime(Date.now() + 90_000);
  assert.equal(a.leader.isLeading(), false);
  a.stop();
});

test('a stop releases the Lease, and the other acquires it at its next try', async (t) => {
  fakeTime(t);
  const lease = new FakeLease();
  const a = compete(t, lease, 'a');
  await settle();
  const b = compete(t, lease, 'b');
  await pass(5);
  a.stop();
  await settle();
  assert.equal(lease.record?.holder, '');
  await pass(3);
  assert.equal(b.leader.isLeading(), true);
  b.stop();
});

test('a process that restarts under the same name leads at once', async (t) => {
  fakeTime(t);
  const lease = new FakeLease();
  lease.record = { holder: 'a', transitions: 3, durationMs: 15_000, acquireTime: null, revision: '0' };
  const a = compete(t, lease, 'a');
  await settle();
  assert.equal(a.leader.isLeading(), true);
  assert.equal(lease.record?.transitions, 3);
  a.stop();
});

test('of two processes that compete for a free Lease, one leads', async (t) => {
  fakeTime(t);
  const lease = new FakeLease();
  const both = [compete(t, lease, 'a'), compete(t, lease, 'b')];
  for (let second = 0; second < 30; second++) {
    await pass(1);
    assert.equal(both.filter(({ leader }) => leader.isLeading()).length, 1);
  }
  for (const { stop } of both) stop();
});
