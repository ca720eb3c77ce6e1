import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBounceText, readNotice, readReport } from './report.ts';

const status = 'message/delivery-status';
const complaint = 'message/feedback-report';

/** Reports from several systems: content type, lines, kind, and each recipient's address, action, status and diagnostic. */
const reports: [
  name: string,
  type: string,
  lines: string[],
  kind: string | null,
  ...recipients: unknown[][],
][] = [
  [
    'Postfix',
    status,
    [
      'Reporting-MTA: dns; mail.example.com',
      'X-Postfix-Queue-ID: 4D5F',
      'Arrival-Date: Sat, 21 Nov 2026 10:00:00 +0000 (UTC)',
      '',
      'Final-Recipient: rfc822; nobody@app.test',
      'Original-Recipient: rfc822;nobody+x@app.test',
      'Action: failed',
      'Status: 5.1.1',
      'Remote-MTA: dns; mx.app.test',
      'Diagnostic-Code: smtp; 550 5.1.1 <nobody@app.test>: Recipient address',
      '    rejected: User unknown',
    ],
    'failed',
    [
      'nobody@app.test',
      'failed',
      '5.1.1',
      '550 5.1.1 <nobody@app.test>: Recipient address rejected: User unknown',
    ],
  ],
  [
    'Exchange, whose recipient has no line of white space before it and a comment in its status',
    status,
    [
      'Reporting-MTA: dns;host',
      'Final-Recipient: RFC822;<a@app.test>',
      'Action: Failed',
      'Status: 5.2.2 (full)',
    ],
    'failed',
    ['a@app.test', 'failed', '5.2.2', null],
  ],
  [
    'a report on several recipients, by the worst of them',
    'message/global-delivery-status',
    [
      ...['Reporting-MTA: dns; host', '', 'Final-Recipient: utf-8; jürgen@app.test', 'Action: delivered'],
      ...[
        'Status: 2.0.0',
        '  ',
        '',
        'Original-Recipient: rfc822; b@app.test',
        'Action: delayed',
        'Status: 4.4.1',
      ],
    ],
    'delayed',
    ['jürgen@app.test', 'delivered', '2.0.0', null],
    ['b@app.test', 'delayed', '4.4.1', null],
  ],
  [
    'an action that is not known',
    status,
    ['Final-Recipient: rfc822; a@b.test', 'Action: gone', 'Status: 4.0.0'],
    'delayed',
    ['a@b.test', null, '4.0.0', null],
  ],
  [
    'a relayed mail',
    status,
    ['Final-Recipient: rfc822; a@b.test', 'Action: relayed'],
    'delivered',
    ['a@b.test', 'relayed', null, null],
  ],
  [
    'a complaint',
    complaint,
    ['Feedback-Type: abuse', 'Version: 1', 'Original-Rcpt-To: <a@b.test>', 'Original-Rcpt-To: c@d.test'],
    'complaint',
    ['a@b.test', null, null, null],
    ['c@d.test', null, null, null],
  ],
  ['a complaint that hides its recipient', complaint, ['Feedback-Type: abuse'], 'complaint'],
  ['no recipient', status, ['Reporting-MTA: dns; host'], null],
  ['no complaint', complaint, ['Version: 1'], null],
  ['no fields', status, ['::::', '', ' : ', 'x'], null],
];

for (const [name, type, lines, kind, ...recipients] of reports) {
  test(`reads ${name}`, () => {
    for (const end of ['\r\n', '\n']) {
      const read = readReport(type, lines.join(end));
      const found =
        read?.recipients.map((one) => [one.address, one.action, one.status, one.diagnostic]) ?? [];
      assert.deepEqual([read?.kind ?? null, ...found], [kind, ...recipients]);
    }
  });
}

/** Headers without a machine-readable part: From, Auto-Submitted, the kind, and other fields. */
const notices: [
  from: string | null,
  autoSubmitted: string,
  kind: string | null,
  others?: { autoReply?: string[]; subject?: string },
][] = [
  ['ada@app.test', 'auto-replied', 'autoreply'],
  [null, ' Auto-Replied (vacation)', 'autoreply'],
  ['ada@app.test', 'auto-generated', null],
  ['ada@app.test', 'no', null],
  ['ada@app.test', 'auto-repliedx', null],
  ['Mailer-Daemon@mx.app.test', 'auto-replied', null],
  ['MAILER-DAEMON', 'auto-replied', null],
  ['postmaster@app.test', 'auto-replied', null],
  ['mailer-daemon-fan@app.test', 'auto-replied', 'autoreply'],
  ['ada@app.test', '', 'autoreply', { autoReply: ['yes'] }],
  ['ada@app.test', '', null, { autoReply: ['no'] }],
  ['ada@app.test', 'auto-generated', 'autoreply', { subject: 'Automatic reply: Plans' }],
  ['ada@app.test', '', 'autoreply', { subject: '自動応答：計画' }],
  ['ada@app.test', '', null, { subject: 'Automatic replies: how to write them' }],
];

for (const [from, value, kind, others] of notices) {
  test(`reads ${kind ?? 'no report'} from ${from}, ${value} ${JSON.stringify(others)}`, () => {
    const read = readNotice({
      from: from === null ? null : { address: from },
      autoSubmitted: [value],
      ...{ autoReply: [], subject: '', ...others },
    });
    assert.deepEqual(read, kind && { kind, recipients: [] });
  });
}

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
