import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { ask, mail } from '#test/support/program/reported-mail.ts';
import { draftReports, type Quoted, type ReportedMail } from './draft-reports.ts';
import type { ReportRequest } from './report-fields.ts';

const source = 'From: app@app.test\r\nSubject: Hi\r\n\r\nHello\r\n';

function draft(
  requests: ReportRequest[],
  given: Partial<ReportedMail> = {},
  text = source,
  quoted: Partial<Quoted> = {},
) {
  const bytes = Buffer.from(text);
  const whole = { msgid: '<1@app.test>', subject: 'Hi', sizeBytes: bytes.length };
  const beginning = bytes.subarray(0, limits.reports.returnedBytes);
  return draftReports({ ...mail, ...given }, requests, { ...whole, beginning, ...quoted });
}

test('a failure is reported with its fields and the mail', () => {
  const dsn = {
    ret: null,
    envid: 'id 7',
    recipients: [{ address: 'a@app.test', notify: [], orcpt: 'rfc822;first+x@app.test' }],
  };
  const [report, ...others] = draft([ask('a@app.test')], { dsn });
  assert.deepEqual(others, []);
  assert.equal(
    report?.machine?.fields,
    [
      'Original-Envelope-Id: id 7',
      'Reporting-MTA: dns; mx.test',
      'Arrival-Date: Sat, 21 Nov 2026 10:00:00 +0000',
      '',
      'Original-Recipient: rfc822; first+x@app.test',
      'Final-Recipient: rfc822; a@app.test',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 No',
      'Last-Attempt-Date: Sat, 21 Nov 2026 10:00:00 +0000',
      '',
    ].join('\r\n'),
  );
  assert.equal(report.machine.contentType, 'message/delivery-status');
  assert.equal(report.returned?.contentType, 'message/rfc822');
  assert.equal(Buffer.from(report.returned.bytes).toString(), source);
  assert.deepEqual(
    [report.to, report.from.address, report.inReplyTo],
    ['app@app.test', 'mailer-daemon@mx.test', '<1@app.test>'],
  );
  assert.match(report.text, /<a@app\.test>: 550 5\.1\.1 No/);
});

/** Requests, and their report's action, status and diagnostic. */
const outcomes: [kind: ReportRequest['kind'], reply: string, status: string, diagnostic: string | null][] = [
  ['failed', '550 5.1.1 No such user', '5.1.1', '550 5.1.1 No such user'],
  ['failed', '554 Refused', '5.0.0', '554 Refused'],
  ['failed', '451 4.4.7 Expired', '4.4.7', '451 4.4.7 Expired'],
  ['failed', '', '5.0.0', null],
  ['failed', '250 2.0.0 Ok', '5.0.0', null],
  ['delayed', '451 4.7.1 Later', '4.7.1', '451 4.7.1 Later'],
  ['delayed', '550 5.1.1 No', '4.0.0', null],
  ['delivered', '', '2.0.0', null],
  ['delivered', '451 4.7.1 Later', '2.0.0', null],
  ['delivered', '250 2.1.5 Ok', '2.1.5', '250 2.1.5 Ok'],
  ['failed', '550 5.1.1 Bad\r\nX: y\u2028é\ud800', '5.1.1', '550 5.1.1 Bad X: y ??'],
];

for (const [kind, reply, status, diagnostic] of outcomes) {
  test(`${kind} by ${JSON.stringify(reply)} has the status ${status}`, () => {
    const [report] = draft([ask('a@app.test', kind, reply)]);
    const lines = report?.machine?.fields.split('\r\n') ?? [];
    const value = (name: string) => lines.find((line) => line.startsWith(name))?.slice(name.length + 2);
    assert.deepEqual(
      [value('Action'), value('Status'), value('Diagnostic-Code') ?? null],
      [kind, status, diagnostic && `smtp; ${diagnostic}`],
    );
    const until = 'Thu, 26 Nov 2026 10:00:00 +0000';
    assert.equal(value('Will-Retry-Until'), kind === 'delayed' ? until : undefined);
  });
}

test('odd octets of ENVID and ORCPT stay within their fields', () => {
  const orcpt = 'rfc822;a b;"c"\r\nX-Evil: 1\u00e9@app.test';
  const dsn = {
    ret: null,
    envid: '\u00ff\tid\n',
    recipients: [{ address: 'a@app.test', notify: [], orcpt }],
  };
  const [report] = draft([ask('a@app.test')], { dsn });
  const fields = report?.machine?.fields ?? '';
  assert.match(fields, /^Original-Envelope-Id: \+FF\+09id\+0A\r\n/);
  assert.match(fields, /\r\nOriginal-Recipient: rfc822; a b;"c"\+0D\+0AX-Evil: 1\+E9@app\.test\r\n/);
});

/** RET, kind, email, and the type of what is returned. */
const returns: [
  ret: 'FULL' | 'HDRS' | null,
  kind: ReportRequest['kind'],
  text: string,
  type: string | null,
][] = [
  [null, 'failed', source, 'message/rfc822'],
  ['FULL', 'failed', source, 'message/rfc822'],
  ['HDRS', 'failed', source, 'text/rfc822-headers'],
  ['FULL', 'delayed', source, 'text/rfc822-headers'],
  ['FULL', 'delivered', source, 'text/rfc822-headers'],
  [null, 'complaint', source, 'message/rfc822'],
  ['FULL', 'failed', source + 'x'.repeat(limits.reports.returnedBytes), 'text/rfc822-headers'],
  [null, 'autoreply', source, null],
];

for (const [ret, kind, text, type] of returns) {
  test(`RET=${ret} of ${text.length} bytes: ${kind} returns ${type}`, () => {
    const [report] = draft([ask('a@app.test', kind)], { dsn: { ret, envid: null, recipients: [] } }, text);
    assert.equal(report?.returned?.contentType ?? null, type);
    if (type !== 'text/rfc822-headers') return;
    assert.equal(
      Buffer.from(report?.returned?.bytes ?? []).toString(),
      'From: app@app.test\r\nSubject: Hi\r\n',
    );
  });
}

test('a header that never ends is cut after a line, and a mail without one has none', () => {
  const header = (text: string) =>
    Buffer.from(draft([ask('a@app.test', 'delayed')], {}, text)[0]?.returned?.bytes ?? []).toString();
  const endless = header('X-Long: word\r\n'.repeat(10_000));
  assert.match(endless.slice(-16), /\r\nX-Long: word\r\n$/);
  assert.ok(endless.length <= limits.reports.returnedBytes);
  assert.equal(header('no header'), '');
  assert.equal(header('A: b\nC: d\n\ntext\r\n\r\n'), 'A: b\nC: d\n');
});

test('names beyond ASCII make global parts of SMTPUTF8 mail, and are escaped otherwise', () => {
  const [status] = draft([ask('jürgen@app.test', 'failed', '550 5.1.1 Größe')], { smtpUtf8: true });
  const types = [status?.machine?.contentType, status?.returned?.contentType];
  assert.deepEqual(types, ['message/global-delivery-status', 'message/rfc822']);
  assert.match(status?.machine?.fields ?? '', /Final-Recipient: utf-8; jürgen@app\.test\r\n/);
  assert.match(status?.machine?.fields ?? '', /Diagnostic-Code: smtp; 550 5\.1\.1 Größe\r\n/);
  const utf8 = source.replace('Hi', 'Grüße');
  for (const [kind, type] of [
    ['failed', 'message/global'],
    ['delayed', 'message/global-headers'],
  ] as const) {
    const [header] = draft([ask('a@app.test', kind)], { smtpUtf8: true }, utf8);
    assert.deepEqual(
      [header?.machine?.contentType, header?.returned?.contentType],
      ['message/delivery-status', type],
    );
  }
  const [escaped] = draft([ask('jürgen@app.test')], {}, utf8);
  assert.equal(escaped?.returned?.contentType, 'message/rfc822');
  assert.match(escaped.machine?.fields ?? '', /Final-Recipient: utf-8; j\\x\{FC\}rgen@app\.test\r\n/);
});

test('one report has all recipients of a kind, and each has an automatic reply of its own', () => {
  const named = (kind: ReportRequest['kind'], count: number) =>
    Array.from({ length: count }, (_, n) => ask(`${kind}${n}@app.test`, kind));
  const drafts = draft([...named('failed', 100), ...named('autoreply', 30), ...named('complaint', 2)]);
  const kinds = drafts.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['failed', 'complaint', ...Array(limits.reports.autoreplies).fill('autoreply')]);
  assert.equal(drafts[0]?.machine?.fields.match(/^Final-Recipient: /gm)?.length, 100);
  assert.equal(
    drafts[1]?.machine?.fields,
    [
      ...[
        'Feedback-Type: abuse',
        'User-Agent: Sandpost/1.0',
        'Version: 1',
        'Original-Mail-From: <app@app.test>',
      ],
      ...['Original-Rcpt-To: <complaint0@app.test>', 'Original-Rcpt-To: <complaint1@app.test>'],
      ...[
        'Reporting-MTA: dns; mx.test',
        'Arrival-Date: Sat, 21 Nov 2026 10:00:00 +0000',
        'Source-IP: 10.1.0.7',
        '',
      ],
    ].join('\r\n'),
  );
  assert.equal(drafts[2]?.from.address, 'autoreply0@app.test');
});

test('subjects are quoted in one line, and a Message-ID only where it is one', () => {
  const of = (subject: string, msgid: string) => {
    const [report] = draft([ask('a@app.test', 'autoreply')], {}, source, { subject, msgid });
    return [report?.subject, report?.inReplyTo];
  };
  assert.deepEqual(of('Hi\r\nBcc: x@y.test\ud800', '<a@b>'), ['Auto: Hi Bcc: x@y.test\ufffd', '<a@b>']);
  assert.deepEqual(of('x'.repeat(998), '<a\u0000b>'), [`Auto: ${'x'.repeat(200)}`, null]);
});

for (const [name, header] of [
  ['a notification', 'Content-Type: multipart/report;\r\n report-type=delivery-status'],
  ['an automatic reply', 'auto-submitted:  Auto-Replied; owner-email=x'],
] as const) {
  test(`${name} is not reported on, with a sender either`, () => {
    assert.deepEqual(draft([ask('a@app.test')], {}, `From: a@b.test\r\n${header}\r\n\r\ntext`), []);
    assert.equal(draft([ask('a@app.test')], {}, `From: a@b.test\r\n\r\n${header}\r\n`).length, 1);
  });
}
