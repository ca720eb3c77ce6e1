import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNotice, readReport } from './report.ts';

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
