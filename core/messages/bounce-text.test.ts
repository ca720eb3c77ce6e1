import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBounceText } from './bounce-text.ts';

const daemon = 'MAILER-DAEMON@mx.test';
/** Bounces to `ada@app.test`: From, subject, text, kind, and each recipient's address, status and diagnostic. */
const bounces: [
  name: string,
  from: string,
  subject: string,
  text: string,
  kind: string | null,
  ...recipients: unknown[][],
][] = [
  [
    "qmail's format",
    'ops@app.test',
    '',
    'Hi. This is the mail program at app.test.\nI gave up.\n\n<a@b.test>:\nNo mailbox\nof that name. (#5.1.1)\n\n<c@d.test>:\nConnected to 5.9.12.8. Full.\n\n--- Below is a copy of it.\n\n<e@f.test>:\nno\n',
    'failed',
    ['a@b.test', '5.1.1', 'No mailbox of that name. (#5.1.1)'],
    ['c@d.test', null, 'Connected to 5.9.12.8. Full.'],
  ],
  ['a letter', 'bob@app.test', '', 'Hi. This is the plan:\n\nno address', null],
  ['a letter on failures', 'bob@app.test', 'Delivery failed', 'Not delivered:\n\n<a@b.test>:\nno', null],
  ['a notice of a postmaster', 'postmaster@mx.test', 'Digest', 'In quarantine:\n\n<a@b.test>', null],
  [
    'a reason in the same line',
    'postmaster@mx.test',
    'Undeliverable: Hi',
    'For help, contact help@mx.test\n\nAffected:\n  a@b.test: 550 5.1.1 <x@b.test> unknown\n  "c@d.test":\nhost d.test:\n4.2.2 full\n',
    'failed',
    ['a@b.test', '5.1.1', '550 5.1.1 <x@b.test> unknown'],
    ['c@d.test', '4.2.2', 'host d.test: 4.2.2 full'],
  ],
  [
    'a delay, with the reply in another paragraph',
    daemon,
    'Warning: delayed 24 hours',
    'Your message\n  To: ada@app.test\n  From: eve@app.test\nfor\n\n  a@b.test\n\nhas not arrived.\n\n<<< 450 4.2.1 Later\n',
    'delayed',
    ['a@b.test', '4.2.1', '<<< 450 4.2.1 Later'],
  ],
  [
    'an address at the end of a sentence, without an envelope sender',
    '',
    'Mail delivery failed',
    'An error occurred for <a@b.test>.\n\n550 no\n\nOriginal message follows.\n\nbob@app.test',
    'failed',
    ['a@b.test', null, '550 no'],
  ],
  [
    "the sender's own address",
    daemon,
    'Sorry',
    'For <ada@app.test>: gone',
    'failed',
    ['ada@app.test', null, 'gone'],
  ],
  [
    'fields of a status in the text',
    daemon,
    'Returned mail',
    'Report:\n\nFinal-Recipient: rfc822; a@b.test\nAction: delayed\nStatus: 4.4.1',
    'delayed',
    ['a@b.test', '4.4.1', null],
  ],
];
/** Text, X-Failed-Recipients, and each recipient's address, status and diagnostic. */
const failures: [text: string, failed: string[], ...recipients: unknown[][]][] = [
  ['', ['a@b.test', 'c@d.test'], ['a@b.test', null, null], ['c@d.test', null, null]],
  [
    'Sent by eve@d.test:\n\n  A@b.test\n    after RCPT TO:<A@b.test>:\n    550 5.1.1 No\n\n  c@d.test\n    Gone\n',
    ['c@d.test', 'a@b.test', 'e@f.test'],
    ['A@b.test', '5.1.1', 'after RCPT TO:<A@b.test>: 550 5.1.1 No'],
    ['c@d.test', null, 'Gone'],
    ['e@f.test', null, null],
  ],
  [
    'Delivery failed:\n\n  bob@b.test\n\n550 5.7.1 No',
    ['bob@b.test'],
    ['bob@b.test', '5.7.1', '550 5.7.1 No'],
  ],
];

for (const [text, failed, ...recipients] of failures)
  test(`reads the field X-Failed-Recipients and ${JSON.stringify(text)}`, () => {
    const failedRecipients = failed.map((address) => ({ address }));
    const from = { address: 'bob@b.test' };
    const read = readBounceText(text, { from, to: [], subject: '', failedRecipients, nullSender: false });
    assert.deepEqual(
      read?.recipients.map((one) => [one.address, one.status, one.diagnostic]),
      recipients,
    );
  });

for (const [name, from, subject, text, kind, ...recipients] of bounces)
  test(`reads ${kind ?? 'no'} bounce from ${name}`, () => {
    for (const end of ['\r\n', '\n']) {
      const header = { from: from ? { address: from } : null, to: [{ address: 'ada@app.test' }], subject };
      const read = readBounceText(text.replaceAll('\n', end), {
        ...{ ...header, failedRecipients: [] },
        nullSender: from === '',
      });
      assert.deepEqual(
        [
          read?.kind ?? null,
          ...(read?.recipients ?? []).map((one) => [one.address, one.status, one.diagnostic]),
        ],
        [kind, ...recipients],
      );
    }
  });
