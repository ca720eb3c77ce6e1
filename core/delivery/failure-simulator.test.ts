import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultFlags } from '#core/accounts/account.ts';
import type { Change, Facts, Scope } from '#core/change.ts';
import { type FailureVerdict, verdictOf } from '#core/failures/choose-failure.ts';
import type { Failure, FailureRule, FailureWords, Stage } from '#core/failures/failure.ts';
import type { AcceptedRecipient } from './accept-recipient.ts';
import type { PreparedMail } from './delivery.ts';
import { createFailureSimulator, type FailureContext, reportsOf } from './failure-simulator.ts';

const team = 7;
const now = new Date('2026-11-25T12:00:00Z');

const rule = (id: number, { match, ...words }: Partial<Omit<FailureWords, 'match'>> & { match?: object }) =>
  ({
    ...{
      id,
      active: true,
      stage: 'rcpt',
      action: 'reply',
      reply: `45${id} 4.7.1 No`,
      dsn: null,
      times: null,
      delayMs: null,
    },
    ...{ rate: null, expiresIn: 60, createdAt: now, expiresAt: new Date(now.getTime() + 60_000), ...words },
    match: { q: null, address: null, from: null, ...match },
  }) as FailureRule;

const recipient = (address: string, more: Partial<AcceptedRecipient> = {}): AcceptedRecipient => {
  const tag = /\+(.*)@/.exec(address)?.[1] ?? null;
  const found = { owner: team, accountId: 3, assumedClientIp: null, failures: 1, ...defaultFlags };
  return { address, tag, ...found, ...more };
};

/** Email with one message, which contains its text's words. */
const mailOf = (text: string) =>
  ({
    json: text,
    targets: [{ owner: team, mailbox: 'INBOX', deliveredTo: 'a@x.test', envelope: {} }],
  }) as unknown as PreparedMail;

/** Service for a team with some rules, on a store that runs change plans. `log` holds its commands. */
function scene(...rules: FailureRule[]) {
  const rows = new Map<number | string, Failure>(
    rules.map((one) => [one.id, { ...one, hits: 0, attempts: [], window: null }]),
  );
  const log: string[] = [];
  const failureSimulator = createFailureSimulator(
    {
      rows: {
        list: () => assert.fail(),
        async read() {
          log.push('read');
          return { version: 1, rules } as never;
        },
        async change<Args extends Scope, Result>(change: Change<Args, Result>, args: Args): Promise<Result> {
          log.push(change.name);
          const failure = rows.get(args.failure ?? '') ?? null;
          const facts = {
            failure,
            team: { id: team },
            newFailure: 99,
            failures: { counts: 0, oldestCount: null },
          };
          const { writes, result } = change.plan(facts as unknown as Facts, args);
          for (const write of writes)
            if (write.do === 'put-failure') rows.set(write.key || write.failure.id, write.failure);
          return result;
        },
      },
      matcher: {
        async matches(_team, { mail, queries }) {
          const text = String(mail.json);
          return [new Set(queries.keys().filter((at) => text.includes(queries[at] ?? '')))];
        },
      },
      clock: () => now,
      inTurn: (_team, count) => count(),
    },
    100,
  );
  const simulate = (stage: Stage, recipients: AcceptedRecipient[] = [], more: Partial<FailureContext> = {}) =>
    failureSimulator.simulate({
      ...{
        team,
        version: 1,
        stage,
        remoteAddress: '192.0.2.1',
        mailFrom: 's@y.test',
        recipients,
        isAlone: true,
      },
      ...more,
    });
  return { rows, log, failureSimulator, simulate };
}

const nothing = verdictOf([], false);

/** Code, end, number of reports or delay of a verdict, or null for none of them. */
const told = ({ reply, cut, reports, delayMs }: FailureVerdict) =>
  reply?.code ?? cut ?? (reports.length > 0 ? 'reported' : delayMs || null);

test('a team without rules and an account that does not simulate cost no command', async () => {
  const { log, simulate } = scene();
  assert.deepEqual(await simulate('rcpt', [recipient('a+fail-550@x.test')], { version: 0 }), nothing);
  assert.deepEqual(log, []);
});

test('the first rule that matches decides, and others count nothing', async () => {
  const { simulate, rows } = scene(
    rule(1, { stage: 'end' }),
    rule(2, { match: { address: 'other@x.test' } }),
    rule(3, { match: { from: 'T@y.test' } }),
    rule(4, { match: { address: 'A+Run7@x.test', from: 'S@Y.test' } }),
    rule(5, {}),
  );
  assert.equal(told(await simulate('rcpt', [recipient('a+run7@x.test')])), 454);
  assert.equal(told(await simulate('rcpt', [recipient('a@x.test')])), 455);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((id) => rows.get(id)?.hits),
    [0, 0, 0, 1, 1],
  );
  const [attempt] = rows.get(4)?.attempts ?? [];
  assert.deepEqual(attempt, {
    ...{ at: now, remoteAddress: '192.0.2.1', mailFrom: 's@y.test', rcptTo: ['a+run7@x.test'] },
    reply: '454 4.7.1 No',
  });
});

test('a rule that is used up lets later ones decide, and still notes attempts', async () => {
  const { simulate, rows } = scene(rule(1, { times: 1 }), rule(2, { rate: { limit: 1, seconds: 60 } }));
  const codes = [];
  for (const _ of [1, 2, 3, 4]) codes.push(told(await simulate('rcpt', [recipient('a@x.test')])));
  assert.deepEqual(codes, [451, null, 452, 452]);
  assert.deepEqual(
    rows.get(1)?.attempts.map(({ reply }) => reply !== null),
    [true, false, false, false],
  );
});

test('an address decides before the rules, where its account simulates failures', async () => {
  const { simulate, log } = scene(rule(1, {}));
  const simulates = { simulatesFailures: true };
  const address = 'a+fail-550@x.test';
  assert.equal(told(await simulate('rcpt', [recipient(address, simulates)])), 550);
  assert.deepEqual(log, []);
  assert.equal(told(await simulate('rcpt', [recipient(address)])), 451);
  const counted = [recipient('a+fail-452x2.run7@x.test', simulates)];
  const codes = [];
  for (const mailFrom of ['s@y.test', 'S@y.test', 't@y.test', 's@y.test'])
    codes.push(told(await simulate('rcpt', counted, { mailFrom, version: 0 })));
  assert.deepEqual(codes, [452, 452, 452, null]);
});

test('no rule harms mail of another team', async () => {
  const cases: [words: Partial<FailureWords>, stage: Stage, wanted: unknown][] = [
    [{}, 'rcpt', 451],
    [{ reply: '421 4.7.0 No' }, 'rcpt', null],
    [{ delayMs: 5 }, 'rcpt', null],
    [{ action: 'drop', reply: null }, 'rcpt', null],
    [{ action: 'reset', reply: null }, 'rcpt', null],
    [{ action: 'dsn', dsn: 'failed' }, 'rcpt', 'reported'],
    [{ stage: 'data' }, 'data', null],
    [{ stage: 'end', action: 'dsn', dsn: 'failed' }, 'end', null],
  ];
  for (const [words, stage, wanted] of cases) {
    const { simulate } = scene(rule(1, words));
    const met = await simulate(stage, [recipient('a@x.test')], { isAlone: false });
    assert.equal(told(met), wanted, JSON.stringify(words));
    assert.notEqual(told(await simulate(stage, [recipient('a@x.test')])), null);
  }
});

test('queries are asked at the end, of reports too', async () => {
  const report = { action: 'dsn', dsn: 'failed', reply: '550 5.1.1 No' } as const;
  const { simulate } = scene(
    rule(1, { match: { q: 'red' }, ...report }),
    rule(2, { stage: 'end', match: { q: 'blue' } }),
  );
  const recipients = [recipient('a@x.test'), recipient('b@x.test')];
  assert.equal(told(await simulate('rcpt', recipients)), null);
  assert.equal(told(await simulate('end', recipients, { prepared: [mailOf('green')] })), null);
  assert.equal(told(await simulate('end', recipients, { prepared: [mailOf('blue')] })), 452);
  const met = await simulate('end', recipients, { prepared: [mailOf('red and blue')] });
  assert.deepEqual(met, {
    ...{ reply: null, cut: null, delayMs: 0, rule: 1 },
    reports: recipients.map(({ address }) => ({ address, kind: 'failed', reply: '550 5.1.1 No' })),
  });
});

test('a mail that an API takes is reported where a listener refuses it', async () => {
  const { failureSimulator } = scene(
    rule(1, { match: { address: 'a@x.test' }, reply: '550 5.1.1 No' }),
    rule(2, { match: { address: 'b@x.test' }, action: 'reset', reply: null }),
    rule(3, { match: { address: 'c@x.test' }, action: 'delay', reply: null, delayMs: 5 }),
    rule(4, { stage: 'end', match: { address: 'c@x.test' } }),
  );
  const recipients = [...'abcd'].map((name) => recipient(`${name}@x.test`));
  const mail = {
    team,
    version: 1,
    remoteAddress: null,
    mailFrom: 's@y.test',
    recipients,
    prepared: [mailOf('')],
  };
  assert.deepEqual(await reportsOf(failureSimulator, mail), [
    { address: 'a@x.test', kind: 'failed', reply: '550 5.1.1 No' },
    { address: 'b@x.test', kind: 'delayed', reply: '421 4.4.2 The connection was lost' },
    { address: 'c@x.test', kind: 'delayed', reply: '454 4.7.1 No' },
  ]);
});
