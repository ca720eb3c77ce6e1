import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createRefusals } from './collect-refusals.ts';
import type { NewRefusal } from './refusal.ts';

const refusal = (team: number, sender: string, rcpt: string): NewRefusal => ({
  ...{ team, at: new Date(0), remoteAddress: sender, helo: null, mailFrom: '', rcptTo: [rcpt] },
  ...{ authenticatedAs: null, stage: 'rcpt', reply: '550 5.1.1 no', reason: 'no-such-account' },
});

function collected(bounds = { waiting: 6, waitingPerTeam: 4, writeMs: 500 }, fails = false) {
  const batches: NewRefusal[][] = [];
  const reached: string[] = [];
  const errors: unknown[] = [];
  const store = {
    refusals: {
      async add(batch: NewRefusal[]) {
        if (fails) throw new Error('away');
        batches.push(batch);
      },
    },
    rows: { list: async () => ({ items: [], total: batches.flat().length }) },
  };
  const refusals = createRefusals(store, {
    ...{ payers: { known: (team) => team % 10 }, clock: () => new Date(), bounds },
    limitReached: (name) => reached.push(name),
    onError: (error) => errors.push(error),
  });
  const written = () => batches.flat().map(({ team, rcptTo }) => `${team} ${rcptTo}`);
  return { refusals, batches, reached, errors, written };
}

test('a batch is written once, by a list of it or at the end', async () => {
  const { refusals, batches, written } = collected();
  refusals.note(refusal(1, 'a', 'x'));
  refusals.note(refusal(2, 'a', 'y'));
  assert.equal(
    (await refusals.list(1, { page: 1, limit: 50 })).total,
    2,
    'a list has what was noted before it',
  );
  refusals.note(refusal(1, 'a', 'z'));
  await refusals.close();
  await refusals.close();
  assert.deepEqual([batches.length, written()], [2, ['1 x', '2 y', '1 z']]);
});

test('writes come at most once in their time', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  context.mock.method(performance, 'now', () => 0);
  const { refusals, batches } = collected();
  const noteAll = (...names: string[]) => {
    for (const name of names) refusals.note(refusal(1, 'a', name));
  };
  noteAll('1', '2');
  context.mock.timers.tick(1);
  await turn();
  noteAll('3');
  context.mock.timers.tick(499);
  await turn();
  assert.equal(batches.length, 1);
  noteAll('4');
  context.mock.timers.tick(1);
  await turn();
  assert.deepEqual(
    batches.map(({ length }) => length),
    [2, 2],
  );
});

test('a flood drops its own oldest, not those of other senders and payers', async () => {
  const { refusals, reached, written } = collected();
  refusals.note(refusal(1, 'honest', 'kept'));
  refusals.note(refusal(2, 'honest', 'kept too'));
  for (let at = 0; at < 100; at += 1) refusals.note(refusal(1, 'flood', `f${at}`));
  for (let at = 0; at < 100; at += 1) refusals.note(refusal(at % 2 === 0 ? 13 : 3, 'flood', `g${at}`));
  await refusals.close();
  assert.deepEqual(written(), ['1 kept', '2 kept too', '1 f99', '3 g97', '13 g98', '3 g99']);
  assert.deepEqual([...new Set(reached)], ['refusals.waitingPerTeam', 'refusals.waiting']);
});

test('texts that a sender chose are cut', async () => {
  const { refusals, batches } = collected();
  const long = 'é'.repeat(2000);
  const rcptTo = Array.from({ length: 100 }, () => long);
  const authenticatedAs = { kind: 'account', name: long } as const;
  refusals.note({ ...refusal(1, 'a', ''), helo: long, mailFrom: long, rcptTo, authenticatedAs, reply: long });
  await refusals.close();
  const [kept] = batches.flat();
  assert.ok(kept);
  const lengths = [kept.helo, kept.mailFrom, kept.rcptTo[0], kept.authenticatedAs?.name, kept.reply];
  assert.deepEqual(
    lengths.map((text) => text?.length),
    [320, 320, 320, 320, 500],
  );
  assert.equal(kept.rcptTo.length, 20);
});

test('a store that fails loses a batch, and nobody who notes', async () => {
  const { refusals, errors } = collected(undefined, true);
  refusals.note(refusal(1, 'a', 'x'));
  await refusals.close();
  assert.equal(errors.length, 1);
});
