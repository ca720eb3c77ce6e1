/** Email with its envelope, as a client hands it over. */
export type Mail = { name: string; from: string; to: string[]; raw: string };

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const date = 'Fri, 20 Nov 2026 10:15:00 +0100';
const from = 'Shop <shop@shop.example>';

/** Composes an email from the lines of its header and body. `head` replaces fields of the usual header; null removes a field. */
export function mail(
  name: string,
  head: Record<string, string | null>,
  body: string[],
  to = ['qa@app.test'],
  sender = 'bounce@shop.example',
): Mail {
  const fields = {
    From: from,
    To: 'QA <qa@app.test>',
    Subject: `Mail ${name}`,
    Date: date,
    'Message-ID': `<${name.replace(/\W+/g, '-')}@shop.example>`,
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    ...head,
  };
  const lines = Object.entries(fields).flatMap(([field, value]) =>
    value === null ? [] : [`${field}: ${value}`],
  );
  return { name, from: sender, to, raw: [...lines, '', ...body, ''].join('\r\n') };
}

export const multipart = (kind: string, boundary: string) => ({
  'Content-Type': `multipart/${kind}; boundary="${boundary}"`,
});

export function parts(boundary: string, ...all: string[][]): string[] {
  return [...all.flatMap((lines) => [`--${boundary}`, ...lines]), `--${boundary}--`];
}

export const plain = (text: string) => ['Content-Type: text/plain; charset=utf-8', '', text];
export const html = (text: string) => ['Content-Type: text/html; charset=utf-8', '', text];
export const file = (type: string, disposition: string, ...more: string[]) => [
  `Content-Type: ${type}`,
  'Content-Transfer-Encoding: base64',
  ...(disposition === '' ? [] : [`Content-Disposition: ${disposition}`]),
  ...more,
  '',
  pixel,
];

/** Emails that differ in what a client may request of them. */
export const mails: Mail[] = [
  mail('plain', {}, ['Hello, your code is 493817.']),
  mail('html alone', { 'Content-Type': 'text/html; charset=utf-8' }, ['<p>Hello <b>you</b></p>']),
  mail('alternative', multipart('alternative', 'a'), parts('a', plain('Hello'), html('<p>Hello</p>'))),
  mail('attachment', multipart('mixed', 'm'), [
    ...parts(
      'm',
      plain('See file'),
      file('application/pdf; name="a b.pdf"', 'attachment; filename="a b.pdf"'),
    ),
  ]),
  mail('two attachments', multipart('mixed', 'm'), [
    ...parts(
      'm',
      plain('See files'),
      file('image/png', 'attachment; filename="one.png"'),
      file('text/csv', 'attachment; filename="two.csv"'),
    ),
  ]),
  mail('inline image', multipart('related', 'r'), [
    ...parts(
      'r',
      html('<p><img src="cid:logo@shop"></p>'),
      file('image/png; name="logo.png"', 'inline; filename="logo.png"', 'Content-ID: <logo@shop>'),
    ),
  ]),
  mail('nested', multipart('mixed', 'm'), [
    ...parts(
      'm',
      [
        'Content-Type: multipart/related; boundary="r"',
        '',
        ...parts(
          'r',
          [
            'Content-Type: multipart/alternative; boundary="a"',
            '',
            ...parts('a', plain('Hi'), html('<img src="cid:x@y">')),
          ],
          file('image/png', '', 'Content-ID: <x@y>'),
        ),
      ],
      file('application/zip', 'attachment; filename="z.zip"'),
    ),
  ]),
  mail(
    'file alone',
    {
      'Content-Type': 'application/pdf; name="only.pdf"',
      'Content-Transfer-Encoding': 'base64',
      'Content-Disposition': 'attachment; filename="only.pdf"',
    },
    [pixel],
  ),
  mail(
    'file without a name',
    multipart('mixed', 'm'),
    parts('m', plain('See'), file('application/octet-stream', 'attachment')),
  ),
  mail('file in other letters', multipart('mixed', 'm'), [
    ...parts('m', plain('See'), file('application/pdf', "attachment; filename*=UTF-8''%C3%BCbung.pdf")),
  ]),
  mail('mail within', multipart('mixed', 'm'), [
    ...parts('m', plain('See'), [
      'Content-Type: message/rfc822',
      '',
      'Subject: Inner',
      'From: a@b.example',
      '',
      'Inner text',
    ]),
  ]),
  mail(
    'umlauts',
    { Subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', From: '=?utf-8?B?TcO8bGxlcg==?= <mueller@shop.example>' },
    ['Grüße aus Köln'],
  ),
  mail(
    'latin 1',
    { 'Content-Type': 'text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding': 'quoted-printable' },
    ['Gr=FC=DFe'],
  ),
  mail('emoji', { Subject: '=?utf-8?B?8J+OiSBQYXJ0eQ==?=' }, ['🎉 Party']),
  mail(
    'blind copies',
    { Cc: 'Cc <cc@app.test>' },
    ['Hidden'],
    ['qa@app.test', 'cc@app.test', 'bcc@app.test'],
  ),
  mail('bcc in header', { Bcc: 'bcc@app.test' }, ['Hidden'], ['qa@app.test', 'bcc@app.test']),
  mail(
    'several',
    {
      To: 'One <one@app.test>, two@app.test, "Three, T." <three@app.test>',
      'Reply-To': 'Help <help@shop.example>',
    },
    ['To all'],
    ['one@app.test', 'two@app.test', 'three@app.test'],
  ),
  mail('no subject', { Subject: null }, ['No subject']),
  mail(
    'no header but From',
    { Subject: null, To: null, Date: null, 'Message-ID': null, 'MIME-Version': null, 'Content-Type': null },
    ['Bare'],
  ),
  mail('no From', { From: null }, ['No From']),
  mail('empty', {}, ['']),
  mail('no date', { Date: null }, ['No date']),
  mail('odd date', { Date: '20 Nov 26 10:15 GMT' }, ['Odd date']),
  mail('bad date', { Date: 'yesterday' }, ['Bad date']),
  mail('west', { Date: 'Fri, 20 Nov 2026 10:15:00 -0730 (PST)' }, ['West']),
  mail('tags', { 'X-Tags': 'smoke, Nightly run' }, ['Tagged']),
  mail(
    'unsubscribe',
    {
      'List-Unsubscribe': '<https://shop.example/u?t=1>, <mailto:u@shop.example>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    ['News'],
  ),
  ...[
    '<mailto:u@shop.example>, <mailto:v@shop.example>',
    '<https://shop.example/a>, <https://shop.example/b>, <mailto:u@shop.example>',
    'Click <https://shop.example/u>',
    '<ftp://shop.example/u>',
    '(a comment) <https://shop.example/u>',
    '<https://shop.example/u> <mailto:u@shop.example>',
    '<https://shop.example/a b>',
  ].map((value, index) => mail(`unsubscribe ${index}`, { 'List-Unsubscribe': value }, ['News'])),
  mail('case of tags', { 'X-Tags': 'zebra, Alpha, beta, Zulu' }, ['Tagged']),
  mail('plus', { To: 'qa+nightly@app.test' }, ['Plus'], ['qa+nightly@app.test']),
  mail('large', {}, ['A line of a long text, again and again.\r\n'.repeat(30_000)]),
  mail('line ends', { 'Content-Transfer-Encoding': 'base64' }, [btoa('One\ntwo\n')]),
  mail('bad unsubscribe', { 'List-Unsubscribe': 'https://shop.example/u' }, ['News']),
  mail(
    'long text',
    {},
    Array.from({ length: 40 }, (_, line) => `Line ${line} of a text that is longer than a snippet`),
  ),
  mail('long html', { 'Content-Type': 'text/html; charset=utf-8' }, [
    `<html><head><style>p { color: red; display: flex }</style></head><body><p>${'Many words. '.repeat(60)}</p><a href="https://shop.example/">Shop</a></body></html>`,
  ]),
  mail(
    'folded',
    { Subject: 'A subject that is\r\n folded over\r\n three lines', 'X-Run': '7', 'x-odd-NAME': 'value' },
    ['Folded'],
  ),
  mail('repeated fields', { 'X-One': 'first\r\nX-One: second' }, ['Twice']),
  mail('null sender', { 'Return-Path': null }, ['Bounce'], ['qa@app.test'], ''),
  mail('quoted local part', { To: '"odd one"@app.test' }, ['Odd'], ['qa@app.test']),
  mail('group', { To: 'Friends: one@app.test, two@app.test;' }, ['Group'], ['one@app.test']),
  mail('calendar', multipart('alternative', 'a'), [
    ...parts('a', plain('Meeting'), html('<p>Meeting</p>'), [
      'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
      '',
      'BEGIN:VCALENDAR',
      'END:VCALENDAR',
    ]),
  ]),
  mail('report', multipart('report; report-type=delivery-status', 'd'), [
    ...parts('d', plain('Failed'), [
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.app.test',
      '',
      'Final-Recipient: rfc822; qa@app.test',
      'Action: failed',
      'Status: 5.1.1',
    ]),
  ]),
];
