import { mailFrom, type WireMail } from './mails.ts';

/** Values that only some of the mixed emails have. */
export const marks = {
  subject: 'refund',
  from: 'statements@bank.example',
  cc: 'accounting@shop.example',
  tag: 'nightly',
  /** Part of an address after `+`. */
  run: 'run7',
  phrase: 'signed by a neighbor',
} as const;

/**
 * Composes an email by its number, as in a mailbox that tests use: text and HTML with a link and a code, in about 4 KB. Of 200 in a row,
 * 20 have a copy, 10 an attachment, 8 have about 12 KB, 4 are from another sender, 2 to another address of the account, 2 have a tag, 1
 * another subject and 1 the phrase.
 */
export function mixedMail(account: string, number: number): { to: string; mail: WireMail } {
  const hasOneIn = (count: number, place: number) => number % count === place;
  const serial = String(number).padStart(8, '0');
  const to = hasOneIn(100, 1) ? account.replace('@', `+${marks.run}@`) : account;
  const phrase = hasOneIn(200, 2) ? `The parcel was ${marks.phrase}.` : 'The parcel is on its way.';
  const rows = hasOneIn(25, 3) ? 128 : 32;
  const bodies = [
    ...part('text/plain', [
      `Good news: order ${serial} has left our warehouse. ${phrase}`,
      'Your code is 482915. Follow the parcel: https://shop.example/track?order=7',
      ...Array(10).fill('Item: a box of pencils, soft, sharpened at both ends, one dozen.'),
    ]),
    ...part('text/html', [
      `<html><body><h1>Good news</h1><p>Order ${serial} has left our warehouse. ${phrase}</p>`,
      '<p>Your code is <b>482915</b>. <a href="https://shop.example/track?order=7">Follow it</a></p><table>',
      ...Array(rows).fill('<tr><td class="item">A box of pencils</td><td class="price">12.00</td></tr>'),
      '</table></body></html>',
    ]),
    '--bodies--',
  ];
  const attachment = [
    '--all',
    'Content-Type: application/pdf; name="invoice.pdf"',
    'Content-Disposition: attachment; filename="invoice.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    ...Array(4).fill('QUJD'.repeat(19)),
    '--all--',
  ];
  const ofBodies = ['Content-Type: multipart/alternative; boundary="bodies"', '', ...bodies];
  const content = hasOneIn(20, 4)
    ? ['Content-Type: multipart/mixed; boundary="all"', '', '--all', ...ofBodies, ...attachment]
    : ofBodies;
  const head = [
    hasOneIn(50, 5) ? `From: Your Bank <${marks.from}>` : `From: The Shop <${mailFrom}>`,
    `To: <${to}>`,
    ...(hasOneIn(10, 6) ? [`Cc: <${marks.cc}>`] : []),
    `Subject: Your ${hasOneIn(200, 7) ? marks.subject : 'order'} ${serial} is on its way`,
    `Message-ID: <${serial}.mixed@sender.example>`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    ...(hasOneIn(100, 8) ? [`X-Tags: ${marks.tag}`] : []),
    'MIME-Version: 1.0',
  ];
  return { to, mail: Buffer.from([...head, ...content, '.', ''].join('\r\n'), 'latin1') };
}

function part(type: string, lines: string[]): string[] {
  return ['--bodies', `Content-Type: ${type}; charset=utf-8`, '', ...lines, ''];
}
