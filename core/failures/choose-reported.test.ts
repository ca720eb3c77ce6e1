import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, mail } from '#test/support/program/reported-mail.ts';
import { chooseReported, type ReportedMail } from './draft-reports.ts';

type Notify = NonNullable<ReportedMail['dsn']>['recipients'][number]['notify'];
const notified = (words: Record<string, Notify>): ReportedMail['dsn'] => ({
  ret: null,
  envid: null,
  recipients: Object.entries(words).map(([name, notify]) => ({
    address: `${name}@app.test`,
    notify,
    orcpt: null,
  })),
});

/** Emails with the reports that failures request, and the reports that are sent, as `address kind`. */
const choices: [name: string, given: Partial<ReportedMail>, chosen: string[]][] = [
  ['nothing for an ordinary mail', {}, []],
  [
    'what failures ask for',
    { reports: [ask('a@app.test'), ask('b@app.test', 'delayed')] },
    ['a failed', 'b delayed'],
  ],
  [
    'nothing to the null sender',
    { mailFrom: '', reports: [ask('a@app.test')], dsn: notified({ b: ['SUCCESS'] }) },
    [],
  ],
  [
    'what NOTIFY allows',
    {
      reports: [ask('a@app.test'), ask('b@app.test', 'delayed'), ask('c@app.test', 'failed')],
      dsn: notified({ a: ['DELAY'], b: ['FAILURE', 'DELAY'], c: ['SUCCESS'] }),
    },
    ['b delayed'],
  ],
  [
    'nothing at all for NOTIFY=NEVER',
    {
      reports: [ask('a@app.test'), ask('b@app.test', 'autoreply'), ask('c@app.test', 'complaint')],
      dsn: notified({ a: ['NEVER'], b: ['NEVER'], c: ['NEVER'] }),
    },
    [],
  ],
  [
    'replies and complaints whatever else NOTIFY says',
    {
      reports: [ask('a@app.test', 'autoreply'), ask('b@app.test', 'complaint')],
      dsn: notified({ a: ['DELAY'], b: ['DELAY'] }),
    },
    ['a autoreply', 'b complaint'],
  ],
  [
    'a delivery that NOTIFY asks for, where the account simulates failures and none is made',
    {
      recipients: mail.recipients.map((one) => ({ ...one, simulatesFailures: !one.address.startsWith('c') })),
      reports: [ask('b@app.test')],
      dsn: notified({ a: ['SUCCESS', 'FAILURE'], b: ['SUCCESS', 'FAILURE'], c: ['SUCCESS'] }),
    },
    ['b failed', 'a delivered'],
  ],
  [
    'a delivery that a failure reports, without NOTIFY',
    { reports: [ask('a@app.test', 'delivered')] },
    ['a delivered'],
  ],
];

for (const [name, given, chosen] of choices) {
  test(`reports ${name}`, () => {
    const found = chooseReported({ ...mail, ...given });
    assert.deepEqual(
      found.map(({ address, kind }) => `${address.replace('@app.test', '')} ${kind}`),
      chosen,
    );
  });
}
