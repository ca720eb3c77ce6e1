/** Email as DATA transmits it: dot-stuffed, CRLF line ends, with the line that ends DATA. */
export type WireMail = Buffer;

export type LargeKind = 'attachment' | 'text' | 'html';

const sender = 'sender.example';
const serial = '00000000';
const endOfData = '.\r\n';

export const mailFrom = `orders@${sender}`;

/**
 * Composes emails of 4,096 bytes as shops send them (text and HTML, a link, a code), each with its own Message-ID and subject. `first` is
 * the first email's serial number.
 */
export function letters(to: string, first: number): () => WireMail {
  const template = letter(to);
  const places = [...template.toString('latin1').matchAll(new RegExp(serial, 'g'))].map(({ index }) => index);
  let next = first;
  return () => {
    const mail = Buffer.from(template);
    const number = String(next++).padStart(serial.length, '0');
    for (const place of places) mail.write(number, place, 'latin1');
    return mail;
  };
}

/** Returns the words in a letter's subject that no other letter has. */
export function subjectOf(number: number): string {
  return `order ${String(number).padStart(serial.length, '0')}`;
}

/** Composes an email of exactly `size` bytes, nearly all of them in one part. */
export function largeMail(to: string, kind: LargeKind, size: number): WireMail {
  const [type, encoding, line] = {
    attachment: ['application/octet-stream; name="dump.bin"', 'base64', `${'QUJD'.repeat(19)}\r\n`],
    text: [
      'text/plain; charset=utf-8',
      '7bit',
      'The quick brown fox jumps over the lazy dog, and again.\r\n',
    ],
    html: ['text/html; charset=utf-8', '7bit', '<p>The quick <b>brown</b> fox jumps over the dog.</p>\r\n'],
  }[kind] as [string, string, string];
  const head = `${header(to)}Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  const lines = Math.floor((size - head.length) / line.length) - 1;
  const rest = size - head.length - lines * line.length - 2;
  const last = kind === 'attachment' ? '\r\n'.repeat(rest >> 1) : 'x'.repeat(rest);
  return Buffer.from(`${head}${line.repeat(lines)}${last.padEnd(rest, ' ')}\r\n${endOfData}`, 'latin1');
}

function header(to: string): string {
  return [
    `From: The Shop <${mailFrom}>`,
    `To: <${to}>`,
    `Subject: Your order ${serial} is on its way`,
    `Message-ID: <${serial}.bench@${sender}>`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
    '',
  ].join('\r\n');
}

function letter(to: string): Buffer {
  const open = [
    `${header(to)}Content-Type: multipart/alternative; boundary="part"`,
    '',
    '--part',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Good news: order ${serial} has left our warehouse.`,
    'Your code is 482915. Follow the parcel: https://shop.example/track?order=7',
    ...Array(12).fill('Item: a box of pencils, soft, sharpened at both ends, one dozen.'),
    '',
    '--part',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<html><body><h1>Good news</h1><p>Your code is <b>482915</b>.</p>',
    '<p><a href="https://shop.example/track?order=7">Follow the parcel</a></p><table>',
    '',
  ].join('\r\n');
  const close = '</table></body></html>\r\n--part--\r\n';
  const row = '<tr><td class="item">A box of pencils</td><td class="price">12.00</td></tr>\r\n';
  const room = 4096 - open.length - close.length;
  const filler = row.repeat(Math.floor(room / row.length) - 1);
  const comment = `<!-- ${'-'.repeat(room - filler.length - 11)} -->\r\n`;
  return Buffer.from(`${open}${filler}${comment}${close}${endOfData}`, 'latin1');
}
