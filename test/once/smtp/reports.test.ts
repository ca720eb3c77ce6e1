import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user: ada } = await scene();

const reportOf = async (raw: string) => {
  const id = await deliverOne(program, { to: ada.address, raw });
  return (await ok(ada.api.get(`/api/messages/${id}`))).report;
};

test('a message tells what report it is, whoever sent it', async () => {
  const part = (type: string, ...lines: string[]) =>
    ['--b', `Content-Type: ${type}`, '', ...lines].join('\r\n');
  const head =
    'From: <>\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b';
  const text = part('text/plain', 'It failed.');
  const status = part(
    'message/delivery-status',
    'Reporting-MTA: dns; mail.example.com',
    '',
    'Final-Recipient: rfc822; nobody@example.com',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 No such user',
  );
  assert.deepEqual(await reportOf([head, '', text, status, '--b--', ''].join('\r\n')), {
    kind: 'failed',
    recipients: [
      {
        address: 'nobody@example.com',
        action: 'failed',
        status: '5.1.1',
        diagnostic: '550 5.1.1 No such user',
      },
    ],
  });
  assert.deepEqual(await reportOf('Auto-Submitted: auto-replied\r\nSubject: Away\r\n\r\nI am away.\r\n'), {
    kind: 'autoreply',
    recipients: [],
  });
  // Some servers, such as OpenSMTPD, write multipart/mixed. The report in a forwarded email is a file.
  const mixed = head.replace('multipart/report', 'multipart/mixed');
  assert.equal((await reportOf([mixed, '', text, status, '--b--', ''].join('\r\n')))?.kind, 'failed');
  const forward = 'Subject: Fwd\r\nContent-Type: multipart/mixed; boundary=f\r\n\r\n--f';
  const forwarded = [
    forward,
    'Content-Type: message/rfc822',
    '',
    head,
    '',
    text,
    status,
    '--b--',
    '--f--',
    '',
  ];
  assert.equal(await reportOf(forwarded.join('\r\n')), null);
  assert.equal(await reportOf('Subject: Hi\r\n\r\nHello\r\n'), null);
});
