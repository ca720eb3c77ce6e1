import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceOf, type Reason, reasons } from './advice.ts';

const facts = {
  reply: '550 5.1.1 No',
  rcptTo: ['qq@app.test', 'b@other.test'],
  authenticatedAs: { name: 'ci' },
};

const cases: [Reason, RegExp][] = [
  ['bad-address', /bare one/],
  ['unknown-domain', /app\.test is not registered: add it/],
  ['inactive-domain', /app\.test is not active/],
  ['unverified-domain', /MX record/],
  ['no-such-account', /does not exist on app\.test: create the account, or make a catch-all/],
  ['inactive-account', /qq@app\.test is not active/],
  ['no-room', /qq@app\.test is full: delete messages/],
  ['no-capture', /qq@app\.test is not of the team: turn Capture on/],
  ['no-capture-setting', /SANDPOST_CAPTURE/],
  ['wrong-credentials', /password for ci is wrong/],
  ['may-not-send', /key ci may not send/],
  ['too-many-failures', /wait for a minute/],
  ['signed-out', /sign in again/],
  ['too-large', /SANDPOST_MAX_MESSAGE_BYTES/],
  ['mail-loop', /forward it to each other/],
  ['too-many-refused', /connect again/],
  ['parameters-too-long', /fewer at a time/],
  ['connection-lost', /time-outs/],
  ['invalid-request', /see the reply/],
  ['too-many-requests', /try again later/],
  ['store-full', /disk/],
  ['too-many-recipients', /to the others/],
  ['too-many-connections', /SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS/],
  ['bad-command', /see the reply/],
  ['idle', /connect again/],
  ['try-again', /send it again/],
  ['on-purpose', /list of failures/],
];

for (const [reason, advice] of cases) {
  test(`${reason} has its advice, a sentence`, () => {
    assert.match(adviceOf({ reason, ...facts }), advice);
    assert.match(
      adviceOf({ reason, reply: '', rcptTo: [], authenticatedAs: null }),
      /^[A-Z][^.]*(\.\w[^.]*)*\.$/,
    );
  });
}

for (const [address, reply, advice] of [
  [
    'qa+fail-550@app.test',
    '550 5.7.1 Refused on purpose',
    /^The address qa\+fail-550@app\.test itself asks for it/,
  ],
  ['qa+fail-drop.run7@app.test', 'Connection closed on purpose', /itself asks for it/],
  ['qa+fail-550@app.test', '550 5.1.1 No', /list of failures/],
  ['qa@app.test', 'Connection closed on purpose', /list of failures/],
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
