import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addresses, complete, headerRecipients, readMessage } from './sendmail-message.ts';

const sender = { address: 'cron@box.test', name: 'Cron, "Daemon"' };
const now = new Date('2026-11-21T10:00:00Z');
const added =
  /From: "Cron, \\"Daemon\\"" <cron@box\.test>\r\nDate: Sat, 21 Nov 2026 10:00:00 \+0000\r\nMessage-ID: <[0-9a-f-]+@box\.test>\r\n/;
const sent = (input: string, dotEnds = false) =>
  complete(readMessage(input, dotEnds), sender, now).replace(added, '');

test('completes the header and leaves the rest as it is', () => {
  const cases: [input: string, message: string][] = [
    ['Subject: a\n\nb\n', 'Subject: a\r\n\r\nb\r\n'],
    ['Subject: a\r\n\r\nb', 'Subject: a\r\n\r\nb\r\n'],
    ['Subject: a\n b\n\n\nc\n\n', 'Subject: a\r\n b\r\n\r\n\r\nc\r\n\r\n'],
    ['no header\n\nb\n', '\r\nno header\r\n\r\nb\r\n'],
    ['To: a@x\nno field\n', 'To: a@x\r\n\r\nno field\r\n'],
    ['From someone Sat Nov 21\nSubject: a\n\nb\n', 'Subject: a\r\n\r\nb\r\n'],
    ['To: a@x\nBcc: b@x,\n c@x\nSubject: a\n\nBcc: d\n', 'To: a@x\r\nSubject: a\r\n\r\nBcc: d\r\n'],
    ['', '\r\n'],
  ];
  for (const [input, message] of cases) assert.equal(sent(input), message, JSON.stringify(input));
  assert.match(complete(readMessage('', false), sender, now), added);
  const whole = 'From: a@x\r\nDate: now\r\nMessage-ID: <1@x>\r\n\r\nb\r\n';
  assert.equal(complete(readMessage(whole, false), sender, now), whole);
  assert.match(
    complete(readMessage('', false), { address: 'a@x', name: 'Jörg' }, now),
    /^From: =\?utf-8\?B\?SsO2cmc=\?= <a@x>/,
  );
});

test('ends the input at a line of one dot, unless dots are ignored', () => {
  assert.equal(sent('Subject: a\n\nb\n.\nc\n', true), 'Subject: a\r\n\r\nb\r\n');
  assert.equal(sent('Subject: a\n\nb\n.\nc\n', false), 'Subject: a\r\n\r\nb\r\n.\r\nc\r\n');
});

test('reads addresses out of a list', () => {
  const cases: [string, string[]][] = [
    ['a@x', ['a@x']],
    [' a@x , b@x', ['a@x', 'b@x']],
    ['"Doe, John" <a@x>, B <b@x>', ['a@x', 'b@x']],
    ['a@x (one, two (three)), "q\\"uote" <b@x>', ['a@x', 'b@x']],
    ['friends: a@x, B <b@x>;, c@x', ['a@x', 'b@x', 'c@x']],
    ['undisclosed-recipients:;', []],
    ['root', ['root']],
    ['"a b"@x, "c@d"@x', ['"a b"@x', '"c@d"@x']],
    ['"a,b;c:d"@x, N <"e>f"@x>', ['"a,b;c:d"@x', '"e>f"@x']],
    ['"Doe" <"j d"@x>, "a"."b"@x', ['"j d"@x', '"a"."b"@x']],
    ['a..b.@x, <.c@x>', ['a..b.@x', '.c@x']],
    ['a@[IPv6:2001:db8::1], team: b@[192.0.2.1];', ['a@[IPv6:2001:db8::1]', 'b@[192.0.2.1]']],
    ['"not closed <a@x>, b@x', ['a@x', 'b@x']],
  ];
  for (const [list, expected] of cases) assert.deepEqual(addresses(list), expected, list);
  const message = readMessage('To: a@x,\n b@x\nCC: c@x\nBcc: d@x\nReply-To: e@x\n\nTo: f@x\n', false);
  assert.deepEqual(headerRecipients(message), ['a@x', 'b@x', 'c@x', 'd@x']);
});
