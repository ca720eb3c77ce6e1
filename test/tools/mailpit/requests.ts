import type { Pair } from './comparing.ts';
import type { Mail } from './mails.ts';

/** Searches, using the words that Mailpit documents. */
const searches = [
  ...[
    'Hello',
    '"your code"',
    '-Hello',
    'Grüße',
    'one two',
    'word',
    '4711',
    'こんにちは',
    '493817 -from:jane',
  ],
  ...['GRÜSSE', 'grusse', '%', 'a"b c"d', 'one.png', 'invoice.pdf', 'logo.png', 'nothing-has-this'],
  ...['from:shop', 'from:Jane', 'from:müller', 'from:bounce', 'to:cc@app.test', 'to:two@app.test', 'to:zoe'],
  ...['to:qa -to:two', 'cc:cc', 'bcc:bcc', 'reply-to:help', 'addressed:three', 'message-id:plain@'],
  ...['subject:plain', '!subject:mail', 'subject:"on its way"', 'subject:Ünïcödé', 'subject:ünïcödé'],
  ...['tag:smoke', 'tag:"nightly run"', 'Müller tag:none', '-tag:nightly has:attachment', 'is:tagged'],
  ...[
    'is:read',
    'is:unread',
    'is:read subject:plain',
    'has:attachment',
    'has:attachments -tag:smoke',
    'has:inline',
  ],
  ...[
    'larger:1k',
    'larger:100k',
    'smaller:1m',
    'before:2020-01-01',
    'before:2100-01-01 subject:plain',
    'after:2020-01-01',
  ],
];

/** Requests everything about one email. */
export async function askOf(pair: Pair, mail: Mail): Promise<void> {
  const path = `/api/v1/message/<${mail.name}>`;
  const [{ json }] = await pair.ask('GET', path, { mail });
  for (const more of ['/headers', '/raw']) await pair.ask('GET', `${path}${more}`, { mail });
  for (const { PartID: part } of [...json.Inline, ...json.Attachments])
    await pair.ask('GET', `${path}/part/${part}`, { mail });
}

/** Requests what is not about one email, or is the same for many. */
export async function askAll(pair: Pair): Promise<void> {
  for (const query of [
    '',
    '?limit=1000',
    '?start=290&limit=3',
    '?start=x&limit=1',
    '?start=1000',
    '?limit=0',
  ])
    await pair.ask('GET', `/api/v1/messages${query}`);
  for (const path of ['info', 'webui', 'tags', 'chaos', 'search', 'search?query=', 'nothing'])
    await pair.ask('GET', `/api/v1/${path}`);
  for (const path of [
    '',
    '/headers',
    '/raw',
    '/part/1',
    '/part/1/thumb',
    '/html-check',
    '/link-check',
    '/sa-check',
  ])
    await pair.ask('GET', `/api/v1/message/unknown${path}`);
  for (const path of ['html-check', 'link-check', 'sa-check', 'rspamd-check', 'part/9', 'part/9/thumb'])
    await pair.ask('GET', `/api/v1/message/<plain>/${path}`);
  for (const more of [
    '<attachment>/part/2/thumb',
    '<inline image>/part/2/thumb',
    'latest?query=subject:zzzz',
  ])
    await pair.ask('GET', `/api/v1/message/${more}`);
  for (const path of ['unknown.html', 'unknown.txt', '<plain>', 'latest', 'latest.txt?query=subject:plain'])
    await pair.ask('GET', `/view/${path}`);
  for (const path of ['/livez', '/readyz']) await pair.ask('GET', path);
}

/** Requests what is derived from emails' text and HTML, which is the same for many. */
export async function view(pair: Pair, mails: Mail[]): Promise<void> {
  for (const mail of mails) {
    for (const ending of ['html', 'txt']) await pair.ask('GET', `/view/<${mail.name}>.${ending}`, { mail });
    await pair.ask('GET', `/api/v1/message/<${mail.name}>/html-check`, { mail });
  }
}

export async function search(pair: Pair): Promise<void> {
  for (const query of searches) await pair.search(query);
}

export async function change(pair: Pair): Promise<void> {
  const changes: [method: string, path: string, json?: unknown][] = [
    ['PUT', 'messages', { IDs: ['<plain>', '<umlauts>', 'unknown'], Read: true }],
    ['PUT', 'messages', { Search: 'subject:one', Read: true }],
    ['PUT', 'messages', { IDs: ['<umlauts>'], Read: false }],
    ['PUT', 'messages', { IDs: ['<plain>'], Search: 'subject:one', Read: true }],
    ['PUT', 'messages'],
    ['PUT', 'tags', { IDs: ['<plain>', '<html alone>'], Tags: ['alpha', 'Beta gamma', 'ALPHA'] }],
    ['PUT', 'tags', { IDs: ['<tags>'], Tags: [] }],
    ['PUT', 'tags', { IDs: ['<alternative>'], Tags: ['bad/tag'] }],
    ['PUT', 'tags/alpha', { Name: 'delta' }],
    ['PUT', 'tags/unknown', { Name: 'delta' }],
    ['PUT', 'tags/delta', { Name: '' }],
    ['DELETE', 'tags/delta'],
    ['DELETE', 'tags/unknown'],
    ['DELETE', 'search?query=subject:attachment'],
    ['DELETE', 'search'],
    ['DELETE', 'messages', { IDs: ['<plain>', 'unknown'] }],
    ['PUT', 'messages', { Read: true }],
    ['PUT', 'chaos', {}],
    ['POST', 'message/<html alone>/release', { To: ['x@example.com'] }],
  ];
  for (const [method, path, json] of changes) {
    await pair.ask(method, `/api/v1/${path}`, { json });
    await pair.list();
  }
}

/** Sends emails by the API, and reads the newest after each. */
export async function sendByApi(pair: Pair): Promise<void> {
  const bare = { From: { Email: 'z@example.com' }, To: [{ Email: 'ada@example.org' }] };
  const mails = [
    {
      ...{ From: { Email: 'z@example.com', Name: 'Zoë' }, To: [{ Email: 'ada@example.org', Name: 'Ada' }] },
      ...{
        Subject: 'Sent é',
        Text: 'Hello',
        HTML: '<p>Hello</p>',
        Tags: ['three', 'one'],
        Bcc: ['b@example.org'],
      },
      ...{
        Cc: [{ Email: 'c@example.org' }],
        ReplyTo: [{ Email: 'r@example.org' }],
        Headers: { 'X-Run': '7' },
      },
      Attachments: [
        { Content: 'aGVsbG8=', Filename: 'a.txt' },
        { Content: 'aGVsbG8=', Filename: 'b', ContentID: 'b' },
      ],
    },
    bare,
    { ...bare, To: [], Bcc: ['b@example.org'] },
    { ...bare, To: [] },
    { ...bare, From: { Email: '' } },
    { ...bare, To: [{ Email: 'a b' }] },
    { ...bare, Attachments: [{ Content: '!!', Filename: 'x' }] },
  ];
  for (const json of mails) {
    await pair.ask('POST', '/api/v1/send', { json });
    for (const path of ['', '/headers']) await pair.ask('GET', `/api/v1/message/latest${path}`);
  }
  await pair.ask('POST', '/api/v1/send');
  await pair.ask('POST', '/api/v1/send', { json: { ...bare, From: { Email: 'x' } } });
  await pair.ask('DELETE', '/api/v1/messages');
  await pair.list();
}
