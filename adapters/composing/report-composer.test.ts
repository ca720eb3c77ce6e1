import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import { draftReports, type ReportedMail } from '#core/failures/draft-reports.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import { composeReport } from './report-composer.ts';

const receivedAt = new Date('2026-11-21T10:00:00Z');

/** Composes the reports requested for an email, and parses them again. */
async function reports(
  requests: ReportRequest[],
  {
    source = 'Subject: Hi\r\n\r\nHello\r\n',
    subject = 'Hi',
    ...given
  }: Partial<ReportedMail> & { source?: string; subject?: string } = {},
) {
  const mail = {
    mailFrom: 'app@app.test',
    remoteAddress: null,
    receivedBy: 'mx.test',
    receivedAt,
    smtpUtf8: true,
  };
  const beginning = Buffer.from(source);
  const quoted = { msgid: '<1@app.test>', subject, sizeBytes: beginning.length, beginning };
  const drafts = draftReports({ ...mail, recipients: [], dsn: null, ...given }, requests, quoted);
  return Promise.all(
    drafts.map(async (draft) => {
      const bytes = Buffer.from(await composeReport(draft));
      const arrival = { mailFrom: '', helo: null, remoteAddress: null, receivedBy: 'mx.test', receivedAt };
      const { content, facts } = await parseMail(bytes, { ...arrival, smtpUtf8: true, submitted: true });
      return { content, facts, bytes: bytes.toString() };
    }),
  );
}

const failed = (address: string, reply = '550 5.1.1 No such user') => ({
  address,
  kind: 'failed' as const,
  reply,
});
const typesOf = (content: Awaited<ReturnType<typeof reports>>[number]['content']) =>
  [content.structure, ...content.structure.children].map(({ contentType }) => contentType);

test('a notification has a text, its fields and the mail, and is read as the report that it is', async () => {
  const [report] = await reports([failed('a@app.test'), failed('b@app.test', '552 5.2.2 Full')]);
  assert.ok(report);
  const { content, facts, bytes } = report;
  assert.deepEqual(typesOf(content), [
    'multipart/report',
    'text/plain',
    'message/delivery-status',
    'message/rfc822',
  ]);
  assert.deepEqual(content.report, {
    kind: 'failed',
    recipients: [
      { address: 'a@app.test', action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 No such user' },
      { address: 'b@app.test', action: 'failed', status: '5.2.2', diagnostic: '552 5.2.2 Full' },
    ],
  });
  assert.match(bytes, /^Content-Type: multipart\/report; report-type=delivery-status;\r\n boundary=/m);
  assert.match(bytes, /^Auto-Submitted: auto-replied\r$/m);
  assert.deepEqual(
    [content.from?.address, content.to[0]?.address, content.inReplyTo, content.references, content.date],
    ['mailer-daemon@mx.test', 'app@app.test', '<1@app.test>', ['<1@app.test>'], receivedAt],
  );
  assert.match(content.msgid ?? '', /^<[0-9a-f-]{36}@mx\.test>$/);
  assert.deepEqual([facts.parseError, facts.bareCr, facts.bareLf, facts.eightBitHeader], [null, 0, 0, false]);
  assert.match(bytes, /\r\n\r\nSubject: Hi\r\n\r\nHello\r\n\r\n--/);
});

test('an automatic reply is a plain text, and a complaint a feedback report', async () => {
  const [complaint, reply] = await reports([
    { address: 'a@app.test', kind: 'autoreply', reply: '' },
    { address: 'b@app.test', kind: 'complaint', reply: '' },
  ]);
  assert.ok(reply && complaint);
  assert.deepEqual(typesOf(reply.content), ['text/plain']);
  assert.deepEqual(reply.content.report, { kind: 'autoreply', recipients: [] });
  assert.deepEqual([reply.content.from?.address, reply.content.subject], ['a@app.test', 'Auto: Hi']);
  assert.match(complaint.bytes, /^Content-Type: multipart\/report; report-type=feedback-report;/m);
  const unknown = { action: null, status: null, diagnostic: null };
  assert.deepEqual(complaint.content.report, {
    kind: 'complaint',
    recipients: [{ address: 'b@app.test', ...unknown }],
  });
});

test('nothing that a sender writes becomes a header field, a part or a recipient', async () => {
  const evil = 'x\r\nBcc: evil@x.test\r\n\r\n--b\r\nFinal-Recipient: rfc822; evil@x.test';
  const source = `Subject: ${evil}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHi\r\n--b--\r\nlone \r cr\n`;
  const dsn = {
    ret: null,
    envid: evil,
    recipients: [{ address: 'a@app.test', notify: [], orcpt: `rfc822;${evil}` }],
  };
  const made = await reports(
    [failed('a@app.test', `550 5.1.1 ${evil}`), { address: 'a@app.test', kind: 'autoreply', reply: evil }],
    { source, subject: `${evil}\ud800`, dsn, mailFrom: 'app@app.test' },
  );
  assert.equal(made.length, 2);
  for (const { content, facts } of made) {
    assert.deepEqual(content.bcc, []);
    const addresses = content.to.map(({ address }) => address);
    assert.deepEqual(addresses, ['app@app.test']);
    assert.ok((content.report?.recipients ?? []).every(({ address }) => address === 'a@app.test'));
    assert.equal(facts.parseError, null);
  }
  assert.deepEqual(typesOf(made[0]?.content ?? assert.fail()).slice(1), [
    'text/plain',
    'message/delivery-status',
    'message/rfc822',
  ]);
});

test('names beyond ASCII come back as they were', async () => {
  const [report] = await reports([failed('jürgen@app.test', '550 5.1.1 Größe')], {
    mailFrom: 'ünal@app.test',
    source: 'Subject: Grüße\r\n\r\nHi',
  });
  assert.deepEqual(report?.content.report?.recipients[0], {
    ...{ address: 'jürgen@app.test', action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 Größe' },
  });
  assert.equal(report.content.to[0]?.address, 'ünal@app.test');
  const [, , status, mail] = typesOf(report.content);
  assert.deepEqual([status, mail], ['message/global-delivery-status', 'message/global']);
});
