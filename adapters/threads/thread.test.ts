import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Invalid, invalid, Malformed, NotFound, StoreFull, StoreUnavailable } from '#core/errors.ts';
import { Thread, type ThreadOptions } from './thread.ts';
import { lossOf, ThreadLost } from './thread-lost.ts';

const urlOf = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** Creates a thread whose methods and `serve` options the test provides. */
function threadOf(
  t: TestContext,
  methods: string,
  options: Partial<ThreadOptions> = {},
  served = '{}',
): Thread {
  const source = `import { moving, serve } from ${urlOf('./serve.ts')};
    import * as errors from ${urlOf('../../core/errors.ts')};
    serve({ echo: (x) => x, later: (x, ms) => new Promise((end) => setTimeout(end, ms, x)), hang: () => { for (;;); }, ${methods} }, ${served});`;
  const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const thread = new Thread({ entry, ...options });
  t.after(() => thread.stop());
  return thread;
}

const lost = (kind: string) => (error: unknown) => error instanceof ThreadLost && error.kind === kind;

test('errors of the core keep their class, others their name and message', async (t) => {
  const thread = threadOf(
    t,
    `fail: (name) => { throw new errors[name]('why'); }, bug: () => null.x, text: () => { throw 'a text'; },
     refuse: () => { throw errors.invalid('to', 'no', 'http.recipients'); }`,
  );
  for (const kind of [NotFound, Malformed, StoreFull, StoreUnavailable]) {
    const error = await thread.call('fail', [kind.name]).catch((reason: unknown) => reason);
    assert.ok(error instanceof kind && error.constructor === kind && error.message === 'why', kind.name);
  }
  await assert.rejects(thread.call('bug', []), { name: 'TypeError', constructor: Error });
  await assert.rejects(thread.call('text', []), /^Error: a text$/);
  await assert.rejects(thread.call('none', []), /no method none/);
  const { violations, limits } = invalid('to', 'no', 'http.recipients');
  await assert.rejects(
    thread.call('refuse', []),
    (error) =>
      error instanceof Invalid &&
      assert.deepEqual([error.violations, error.limits], [violations, limits]) === undefined,
  );
});

/** Calls that end their thread, call and thread options, and the kinds of loss for this call and the others. */
const ends: [string, object, Partial<ThreadOptions>, string, string?][] = [
  ['exit', {}, {}, 'broken', 'other'],
  ['bug', {}, {}, 'broken'],
  ['hang', { limitMs: 100 }, {}, 'late', 'other'],
  ['hang', {}, { stallMs: 100 }, 'stalled', 'other'],
  ['heap', {}, { heap: { maxOldGenerationSizeMb: 16 } }, 'memory', 'other'],
];
for (const [method, options, settings, kind, others = kind] of ends) {
  test(`a call of ${method} ends the thread (${kind}) with all of its calls, and the next one starts it anew`, async (t) => {
    const thread = threadOf(
      t,
      `exit: () => process.exit(1), bug: () => new Promise(() => setImmediate(() => { throw new Error('bug'); })),
       heap: () => { for (const all = []; ; ) all.push(new Array(1e6).fill(1.5)); }`,
      settings,
    );
    assert.equal(await thread.call('echo', [1]), 1);
    await Promise.all([
      assert.rejects(thread.call(method, [], options), lost(kind)),
      assert.rejects(thread.call('later', [2, 60_000]), lost(others)),
    ]);
    assert.equal(thread.load, 0);
    assert.equal(await thread.call('echo', [3]), 3);
  });
}

test('a late call ends the thread though others were called before and after it', async (t) => {
  const thread = threadOf(t, '');
  const early = thread.call('later', [1, 60_000]);
  const late = thread.call('later', [2, 60_000], { limitMs: 200 });
  const after = thread.call('later', [3, 60_000], { limitMs: 60_000 });
  await Promise.all([
    assert.rejects(late, lost('late')),
    ...[early, after].map((call) => assert.rejects(call, lost('other'))),
  ]);
});

test('a call with a shorter limit than an earlier one is late first', { timeout: 20_000 }, async (t) => {
  const thread = threadOf(t, '');
  await thread.call('echo', [1]);
  const early = thread.call('later', [2, 60_000], { limitMs: 60_000 });
  const late = thread.call('later', [3, 60_000], { limitMs: 100 });
  await Promise.all([assert.rejects(late, lost('late')), assert.rejects(early, lost('other'))]);
});

test('a call whose signal has aborted does not begin', async (t) => {
  const thread = threadOf(t, 'count: () => (globalThis.count = (globalThis.count ?? 0) + 1)');
  const call = thread.call('count', [], { signal: AbortSignal.abort() });
  await assert.rejects(call, { name: 'AbortError' });
  assert.equal(await thread.call('count', []), 1);
});

test('the time of a call begins when the thread is ready', async (t) => {
  const busy = 'for (const begun = performance.now(); performance.now() - begun < 1200; );';
  const source = `import { serve } from ${urlOf('./serve.ts')}; ${busy} serve({ echo: (x) => x });`;
  const thread = new Thread({ entry: new URL(`data:text/javascript,${encodeURIComponent(source)}`) });
  t.after(() => thread.stop());
  assert.equal(await thread.call('echo', [1], { limitMs: 1000 }), 1);
});

test('a signal ends the thread while its call is under way, and not later', async (t) => {
  const thread = threadOf(t, 'count: () => (globalThis.count = (globalThis.count ?? 0) + 1)');
  const controllers = [new AbortController(), new AbortController()] as const;
  assert.equal(await thread.call('count', [], { signal: controllers[0].signal }), 1);
  controllers[0].abort();
  assert.equal(await thread.call('count', []), 2);
  const hanging = thread.call('hang', [], { signal: controllers[1].signal });
  const other = thread.call('echo', [1]);
  controllers[1].abort();
  await assert.rejects(hanging, { name: 'AbortError' });
  await assert.rejects(other, lost('other'));
  assert.equal(await thread.call('count', []), 1);
});

test('buffers move in both directions', async (t) => {
  const thread = threadOf(t, 'turn: (bytes) => moving(bytes.reverse(), [bytes.buffer])');
  const bytes = new Uint8Array([1, 2, 3]);
  const turned = await thread.call('turn', [bytes], { transfer: [bytes.buffer] });
  assert.deepEqual(turned, new Uint8Array([3, 2, 1]));
  assert.equal(bytes.length, 0);
});

/** Options for a thread that starts a message's calls in the order of their arguments. */
const sorting = `{ batched: true, begin(run, key) {
  globalThis.waiting ??= [];
  if (waiting.push({ run, key }) > 1) return;
  queueMicrotask(() => waiting.sort((a, b) => a.key - b.key).splice(0).forEach(({ run }) => run()));
} }`;

test('bytes are copied to the calls of a message', async (t) => {
  const thread = threadOf(t, 'join: (...all) => all.join()', { batched: true });
  const given = new Uint8Array([1, 2, 3, 4]);
  const calls = [given, given.subarray(1, 1), undefined, given.subarray(2)].map((bytes, at) =>
    thread.call('join', [at], { ...(bytes && { bytes }) }),
  );
  assert.deepEqual(await Promise.all(calls), ['0,1,2,3,4', '1,', '2', '3,3,4']);
  assert.equal(given.length, 4);
});

test('batched calls of a turn share a message, and the thread chooses when each begins', async (t) => {
  const count = 'count: () => (globalThis.count = (globalThis.count ?? 0) + 1)';
  for (const [batched, order] of [
    [true, [3, 1, 2]],
    [false, [1, 2, 3]],
  ] as const) {
    const thread = threadOf(t, count, { batched }, sorting);
    const calls = [9, 2, 5].map((key) => thread.call<number>('count', [key]));
    assert.deepEqual(await Promise.all(calls), order);
  }
});

test('closing sends the calls of its turn, stopping fails them', async (t) => {
  const [closed, stopped] = [threadOf(t, '', { batched: true }), threadOf(t, '', { batched: true })];
  const [under, cut] = [closed.call('echo', [1]), stopped.call('echo', [1])];
  await Promise.all([closed.close(), assert.rejects(cut, lost('stopped')), stopped.stop()]);
  assert.equal(await under, 1);
});

test('content that overflows the stack or a string is a loss by memory', async (t) => {
  const thread = threadOf(
    t,
    `stack: () => [].push(...new Array(1_000_000)), text: () => 'a'.repeat(2 ** 30), bug: () => null.x`,
  );
  const kindOf = (method: string) => thread.call(method, []).catch((error: unknown) => lossOf(error)?.kind);
  assert.deepEqual(await Promise.all(['stack', 'text'].map(kindOf)), ['memory', 'memory']);
  assert.equal(await kindOf('bug'), undefined);
});

test('a thread stalls neither while it rests nor while it answers', async (t) => {
  const busy = 'busy: (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); }';
  const thread = threadOf(t, busy, { stallMs: 200 });
  const resting = thread.call('later', [1, 600]);
  for (let count = 0; count < 6; count += 1) await thread.call('busy', [60]);
  assert.equal(await resting, 1);
});

test('an idle thread ends, and the next call starts another', async (t) => {
  const thread = threadOf(t, 'count: () => (globalThis.count = (globalThis.count ?? 0) + 1)', { idleMs: 0 });
  assert.equal(await thread.call('count', []), 1);
  // Two timers with the same length fire in the order of their start.
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(await thread.call('count', []), 1);
});

test('closing lets pending calls finish, stopping does not, and neither takes more', async (t) => {
  const closed = threadOf(t, '');
  const stopped = threadOf(t, '', { lost: ({ kind }) => new StoreUnavailable(kind) });
  const [under, cut] = [closed.call('echo', [1]), stopped.call('later', [1, 60_000])];
  await closed.close();
  assert.equal(await under, 1);
  const stop = stopped.stop();
  await assert.rejects(cut, StoreUnavailable);
  await stop;
  await assert.rejects(closed.call('echo', [2]), lost('stopped'));
  await assert.rejects(stopped.call('echo', [2]), StoreUnavailable);
});
