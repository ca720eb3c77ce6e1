import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceOf, type Reason, reasons } from './advice.ts';

const facts = {
  reply: '550 5.1.1 No',
  rcptTo: ['qq@app.test', 'b@other.test'],
  authenticatedAs: { name: 'ci' },
};

const cases: [Reason, RegExp][] = [
  ['bad-address', /bare address/],
  ['unknown-domain', /app\.test is not registered\. Add it/],
  ['inactive-domain', /app\.test is inactive/],
  ['unverified-domain', /MX record/],
  ['no-such-account', /does not exist on app\.test\. Create the account, or a catch-all/],
  ['inactive-account', /qq@app\.test is inactive/],
  ['no-room', /qq@app\.test is full\. Delete messages/],
  ['no-capture', /qq@app\.test does not belong to the team\. Turn on Capture/],
  ['no-capture-setting', /SANDPOST_CAPTURE/],
  ['wrong-credentials', /password for ci is wrong/],
  ['may-not-send', /key ci cannot send/],
  ['too-many-failures', /wait a minute/],
  ['signed-out', /Sign in again/],
  ['too-large', /SANDPOST_MAX_MESSAGE_BYTES/],
  ['mail-loop', /forward it to each other/],
  ['too-many-refused', /connect again/],
  ['parameters-too-long', /fewer recipients at a time/],
  ['connection-lost', /timeouts/],
  ['invalid-request', /reply names the field/],
  ['too-many-requests', /try again later/],
  ['store-full', /disk/],
  ['too-many-recipients', /to the rest/],
  ['too-many-connections', /SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS/],
  ['bad-command', /reply explains why/],
  ['idle', /reconnect/],
  ['try-again', /Send it again/],
  ['on-purpose', /failure rules/],
];

for (const [reason, advice] of cases) {
  test(`${reason} has its advice, in one or two sentences`, () => {
    assert.match(adviceOf({ reason, ...facts }), advice);
    assert.match(
      adviceOf({ reason, reply: '', rcptTo: [], authenticatedAs: null }),
      /^[A-Z][^.…]*([.…][^.…]+){0,6}\.$/,
    );
  });
}

for (const [address, reply, advice] of [
  [
    'qa+fail-550@app.test',
    '550 5.7.1 Refused on purpose',
    /^The \+fail-… part of qa\+fail-550@app\.test triggers/,
  ],
  ['qa+fail-drop.run7@app.test', 'Connection closed on purpose', /triggers a simulated failure/],
  ['qa+fail-550@app.test', '550 5.1.1 No', /failure rules/],
  ['qa@app.test', 'Connection closed on purpose', /failure rules/],
] as const)
  test(`${reply} for ${address} is advised on`, () =>
    assert.match(
      adviceOf({ ...facts, reason: 'on-purpose', rcptTo: ['a@app.test', address], reply }),
      advice,
    ));

test('each reason is in the table', () =>
  assert.deepEqual(
    reasons,
    cases.map(([reason]) => reason),
  ));
