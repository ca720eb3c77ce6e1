import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ledger } from '#test/long/faults/ledger.ts';
import { StreamClient } from '#test/support/clients/stream-client.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createUser } from '#test/support/program/user.ts';
import { lasting, paced } from '#test/support/runner/clocks.ts';
import { attacks } from './attacks.ts';
import { type Vitals, vitalsOf } from './vitals.ts';

const minutes = Number(process.env.SANDPOST_SOAK_MINUTES ?? 30);
const store = process.env.SANDPOST_TEST_STORE === 'mongodb' ? 'MongoDB and Redis' : 'embedded';
const sampleMs = 5000;
/** Time in ms within which the program must release all resources of the load. Keep-alive accounts for 65 s. */
const settleMs = 120_000;
const ledger = new Ledger();

test(`mixed load on the store ${store}`, { timeout: (minutes + 15) * 60_000 }, async () => {
  // Reading everything back at the end takes many requests within seconds.
  await using program = await startProgram({ SANDPOST_RATE_LIMIT: '1000000' });
  const honest = await createUser(program, { storage_limit: 10e9 });
  const attacker = await createUser(program, { storage_limit: 10e9 });
  const warm = new AbortController();
  const first = Promise.all([ledger.send(program, honest.address, warm.signal, { paceMs: 50 })]);
  await lasting(10_000);
  warm.abort();
  await first;
  const answerMs: number[] = [];
  let timedOut = 0;
  const read = async (path: string) => {
    const begun = performance.now();
    const { status, json } = await honest.api.get(path);
    // A search may take too long during the attacks. The client receives 503 and tries again.
    if (status === 503 && json.code === 'search_timeout') timedOut++;
    else assert.equal(status, 200, JSON.stringify(json));
    answerMs.push(performance.now() - begun);
  };
  const reads = { list: '/api/messages?limit=50', search: `/api/messages?to=${honest.address}&limit=1` };
  const unused = await vitalsOf(program);
  // Threads for searches, composing and suspect mail start on first use and stay.
  for (const path of Object.values(reads)) await read(path);
  for (const attack of Object.values(attacks)) await attack(program, attacker);
  const rest = await settle(() => vitalsOf(program), unused);

  const load = new AbortController();
  const samples: Vitals[] = [];
  const counts: Record<string, number> = {};
  const stream = new StreamClient([{ isUp: true, httpPort: program.httpPort }], honest.key);
  const until = Date.now() + minutes * 60_000;
  const repeat = async (work: () => Promise<unknown>, pauseMs: number) => {
    while (!load.signal.aborted) {
      await work();
      await paced(pauseMs);
    }
  };
  const working = Promise.all([
    ledger.send(program, honest.address, load.signal, { paceMs: 600, sizeBytes: 4000 }),
    ledger.send(program, honest.address, load.signal, { paceMs: 600, sizeBytes: 40_000 }),
    repeat(() => read(reads.list), 300),
    repeat(() => read(reads.search), 1000),
    repeat(() => honest.api.get('/api/messages?wait=5&limit=1'), 500),
    repeat(async () => samples.push(await vitalsOf(program)), sampleMs),
    (async () => {
      while (Date.now() < until) {
        for (const [name, attack] of Object.entries(attacks)) {
          await attack(program, attacker);
          counts[name] = (counts[name] ?? 0) + 1;
        }
      }
      load.abort();
    })(),
  ]);
  try {
    await working;
  } finally {
    load.abort();
    await stream.stop();
  }

  const settled = await settle(() => vitalsOf(program), rest);
  const stored = await ledger.verify(program, honest);
  const third = samples.slice(-Math.ceil(samples.length / 3)).map(({ memory }) => memory);
  const begin = median(third.slice(0, Math.ceil(third.length / 3)));
  const end = median(third.slice(-Math.ceil(third.length / 3)));
  const sorted = answerMs.sort((a, b) => a - b);
  const result = {
    store,
    minutes,
    rounds: Math.min(...Object.values(counts)),
    mails: ledger.promised.size,
    stored,
    events: stream.messageIds.length,
    refused: Object.fromEntries(ledger.refused),
    answers: sorted.length,
    timedOut,
    medianMs: sorted[Math.floor(sorted.length / 2)],
    p99Ms: sorted[Math.floor(sorted.length * 0.99)],
    slowestMs: sorted.at(-1),
    memory: { rest: unused.memory, most: Math.max(...samples.map(({ memory }) => memory)), begin, end },
    rest,
    settled,
  };
  if (process.env.SANDPOST_SOAK_RESULT)
    writeFileSync(process.env.SANDPOST_SOAK_RESULT, JSON.stringify(result));
  assert.deepEqual(stream.faults, [], 'each event came once and in order');
  assert.equal(ledger.unanswered, 0);
  assert.ok(timedOut <= answerMs.length / 100, `${timedOut} honest searches took too long`);
  assert.ok(stored >= ledger.promised.size);
  assert.ok(end <= begin * 1.1, `memory grew from ${begin} to ${end} MB in the last third`);
  assert.ok(settled.files <= rest.files + 5, `${settled.files} files are open, ${rest.files} were`);
  assert.ok(settled.threads <= rest.threads + 2, `${settled.threads} threads, ${rest.threads} were`);
  for (const [name, value] of Object.entries(settled.resources))
    assert.ok(
      value <= (rest.resources[name] ?? 0) + 5,
      `${name}: ${value}, ${rest.resources[name] ?? 0} at rest`,
    );
});

/** Returns the vitals as soon as they are back at their values at rest, or when the time limit expires. */
async function settle(look: () => Promise<Vitals>, rest: Vitals): Promise<Vitals> {
  const deadline = Date.now() + settleMs;
  for (;;) {
    const now = await look();
    if (Date.now() > deadline || (now.files <= rest.files && now.threads <= rest.threads)) return now;
    await paced(1000);
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
