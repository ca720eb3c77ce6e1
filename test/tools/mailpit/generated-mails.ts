import { file, html, type Mail, mail, multipart, parts, plain } from './mails.ts';

/** Header field values, one of which each email uses. Their counts have no common divisor, so emails differ. */
const subjects = [
  'Your order is on its way',
  '=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=',
  '=?iso-8859-1?Q?Caf=E9_cr=E8me?=',
  '=?utf-8?B?44GT44KT44Gr44Gh44Gv?= and plain',
  'Grüße, 8 bit',
  'Folded over\r\n two lines',
  '[build 4711] failed: 3 of 500 tests & "more"',
  '=?utf-8?Q?two?= =?utf-8?Q?_words?=',
  'a'.repeat(300),
  '  spaces around  ',
  'Re: [list] Ünïcödé',
];
const senders = [
  'Shop <shop@shop.example>',
  'shop@shop.example',
  '"Doe, Jane" <jane@shop.example>',
  '=?utf-8?B?TcO8bGxlcg==?= <mueller@shop.example>',
  'Jane (Support) <jane@shop.example>',
  'Müller <mueller@shop.example>',
  'SHOP <Shop@Shop.Example>',
];
const recipients = [
  'QA <qa@app.test>',
  'qa@app.test',
  'QA <qa@app.test>, two@app.test',
  '"Three, T." <qa@app.test>, =?utf-8?Q?Z=C3=B6e?= <zoe@app.test>',
  '<qa@app.test>',
];
const dates = [
  'Fri, 20 Nov 2026 10:15:00 +0100',
  'Fri, 20 Nov 2026 10:15:00 GMT',
  '20 Nov 2026 10:15:00 -0500',
  'Fri, 20 Nov 2026 10:15:00 +0000 (UTC)',
  'Sat, 29 Feb 2020 23:59:59 +1400',
  'Fri,  6 Nov 2026 01:02:03 -0800',
];
const further: Record<string, string>[] = [
  {},
  { Cc: 'Cc <cc@app.test>, other@app.test' },
  { 'Reply-To': 'Help <help@shop.example>, second@shop.example' },
  { 'X-Tags': 'nightly, smoke' },
  { 'List-Unsubscribe': '<https://shop.example/u?t=1>' },
  { 'X-Mailer': 'Test', 'X-Priority': '1 (Highest)', Importance: 'high' },
  { References: '<one@shop.example>\r\n <two@shop.example>', 'In-Reply-To': '<two@shop.example>' },
  { Sender: 'robot@shop.example', 'Auto-Submitted': 'auto-generated' },
  { 'X-Long': 'word '.repeat(60).trim() },
  { 'X-Encoded': '=?utf-8?Q?caf=C3=A9?=' },
  { 'Disposition-Notification-To': 'shop@shop.example', 'Content-Language': 'de' },
  { 'List-Id': 'News <news.shop.example>', Precedence: 'bulk' },
  { 'X-Empty': '' },
];

const letter = [
  'Grüße,',
  '',
  'your code is 493817. Open https://shop.example/verify?t=abc&u=1 to go on.',
  '.',
  'From the shop',
];
const page = [
  '<html lang="de"><head><title>Grüße</title><style>p { display: flex; color: red }</style></head>',
  '<body><p style="margin: 0">Your code is <b>493817</b>.</p>',
  '<p><a href="https://shop.example/verify?t=abc&amp;u=1">Open</a> &copy; Grüße</p>',
  '<img src="https://shop.example/a.png" alt="a" width="10"></body></html>',
];
const base64 = (text: string) =>
  Buffer.from(text)
    .toString('base64')
    .match(/.{1,76}/g) ?? [];
const encoded = [
  (lines: string[]) => ['Content-Transfer-Encoding: 8bit', '', ...lines],
  (lines: string[]) => ['Content-Transfer-Encoding: base64', '', ...base64(lines.join('\r\n'))],
  (lines: string[]) => ['Content-Transfer-Encoding: quoted-printable', '', ...lines.map(quoted)],
];

/** Encodes a line as quoted-printable, without soft line breaks. */
const quoted = (line: string) =>
  Buffer.from(line)
    .toString('latin1')
    .replace(/[=\x80-\xff]/g, (octet) => `=${octet.charCodeAt(0).toString(16).toUpperCase()}`);

type Part = string[];
const part = (type: string, lines: string[], index: number): Part => [
  `Content-Type: ${type}; charset=utf-8`,
  ...(encoded[index % encoded.length]?.(lines) ?? []),
];
const both = (index: number) =>
  parts('a', part('text/plain', letter, index), part('text/html', page, index + 1));
const nested = (kind: string, boundary: string, lines: string[]): Part => [
  `Content-Type: multipart/${kind}; boundary="${boundary}"`,
  '',
  ...lines,
];
const logo = file('image/png; name="logo.png"', 'inline; filename="logo.png"', 'Content-ID: <logo@shop>');
const invoice = file('application/pdf; name="invoice.pdf"', 'attachment; filename="invoice.pdf"');
const table = [
  'Content-Type: text/csv; charset=utf-8; name="figures.csv"',
  'Content-Disposition: attachment; filename="figures.csv"',
  '',
  'a;b\r\n1;2',
];

/** Bodies with the whole email's type. */
const bodies: ((index: number) => [fields: Record<string, string>, lines: string[]])[] = [
  (index) => single('text/plain', letter, index),
  (index) => single('text/html', page, index),
  (index) => [multipart('alternative', 'a'), both(index)],
  (index) => [multipart('mixed', 'm'), parts('m', part('text/plain', letter, index), invoice)],
  (index) => [multipart('mixed', 'm'), parts('m', nested('alternative', 'a', both(index)), invoice, table)],
  (index) => [multipart('related', 'r'), parts('r', nested('alternative', 'a', both(index)), logo)],
  (index) => [
    multipart('mixed', 'm'),
    parts('m', nested('related', 'r', parts('r', part('text/html', page, index), logo)), invoice),
  ],
  () => [multipart('mixed', 'm'), parts('m', plain('Text'), html('<p>HTML</p>'), plain('More text'))],
];

/** Returns a single-part email whose encoding is a header field. */
function single(type: string, lines: string[], index: number): [Record<string, string>, string[]] {
  const [head = '', encoding = '', , ...body] = part(type, lines, index);
  const valueIn = (field: string) => field.slice(field.indexOf(':') + 2);
  return [{ 'Content-Type': valueIn(head), 'Content-Transfer-Encoding': valueIn(encoding) }, body];
}

const at = <T>(list: T[], index: number): T => {
  const value = list[index % list.length];
  if (value === undefined) throw new Error('an empty list');
  return value;
};

/** Composes emails as programs send them: the same emails each time. */
export const generatedMails: Mail[] = Array.from({ length: 260 }, (_, index) => {
  const [fields, lines] = at(bodies, index)(Math.floor(index / bodies.length));
  const head = {
    From: at(senders, index),
    To: at(recipients, index),
    Subject: at(subjects, index),
    Date: at(dates, index),
    ...at(further, index),
  };
  return mail(`generated ${index}`, { ...head, ...fields }, lines);
});
