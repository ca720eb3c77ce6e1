import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrival } from '#test/support/program/arrival.ts';
import { parseMail } from './mail-parser.ts';

/** Bounces that are not written as RFC 3464 requires: name, lines, addresses. */
const bounces: [name: string, lines: string[], ...addresses: string[]][] = [
  [
    'a part for each recipient, in multipart/mixed',
    [
      'Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSorry.',
      ...['--b\nContent-Type: message/delivery-status', 'Reporting-MTA: dns; mx.app.test'],
      ...['--b\nContent-Type: message/delivery-status', 'Final-Recipient: rfc822; a@b.test\nAction: failed'],
      ...['--b\nContent-Type: message/delivery-status', 'Final-Recipient: rfc822; c@d.test\nAction: failed'],
      '--b--',
    ],
    'a@b.test',
    'c@d.test',
  ],
  [
    'fields of Exim',
    ['Auto-Submitted: auto-replied\nX-Failed-Recipients: a@b.test,\n c@d.test', 'Sorry.'],
    'a@b.test',
    'c@d.test',
  ],
];

for (const [name, lines, ...addresses] of bounces) {
  test(`reads a bounce with ${name}`, async () => {
    const { report } = (await parseMail(Buffer.from(lines.join('\n\n')), arrival)).content;
    assert.deepEqual(
      [report?.kind, ...(report?.recipients ?? []).map(({ address }) => address)],
      ['failed', ...addresses],
    );
  });
}
