import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

/**
 * Query, and the emails that Mailpit and Sandpost find by it. The queries are of the kinds that Mailpit tests, documents, or names in its
 * changelog. Mailpit 1.30.5 received the same emails and queries, and found what is stated here.
 */
type Same = [q: string, finds: string[]];

/**
 * Mailpit query by which Sandpost finds `here` instead of `there`, and why. `q` finds here what Mailpit finds; absent if nothing does.
 */
type Different = { mailpit: string; there: string[]; here: string[]; why: string; q?: string };

/** Message names by ID. */
const names = new Map<number, string>();

const numbers = Array.from({ length: 12 }, (_, index) => `${index + 1}`);
const numbered = (number: string) => ({
  From: `Sender ${number} <from-${number}@example.com>`,
  To: `Reader ${number} <to-${number}@example.com>, Next ${number} <to2-${number}@example.com>`,
  Cc: `Copy ${number} <cc-${number}@example.com>, More ${number} <cc2-${number}@example.com>`,
  'Reply-To': `Desk ${number} <reply-to-${number}@example.com>`,
  Subject: `Numbered ${number} here`,
  'X-Tags': `Run number ${number}`,
  body: `All of these have a text, ${number} <semi;colon>.`,
});

const related = 'multipart/related; boundary=b';
const mixed = 'multipart/mixed; boundary=b';
const html = 'Content-Type: text/html\r\n\r\n<img src="cid:p"><b>pictured</b>';
const file = 'Content-Type: text/csv\r\nContent-Disposition: attachment; filename=figures.csv\r\n\r\n1,2';
const picture = 'Content-Type: image/png\r\nContent-Disposition: inline\r\nContent-ID: <p>\r\n\r\nx';
const partsOf = (...parts: string[]) => `--b\r\n${parts.join('\r\n--b\r\n')}\r\n--b--`;

/** Header fields and bodies of emails, by name. */
const mails: Record<string, Record<string, string>> = {
  ...Object.fromEntries(numbers.map((number) => [number, numbered(number)])),
  ann: { From: 'Ann Lee <ann@one.example>', 'Message-ID': '<77.1.queue@one.example>', body: 'Dear Bob' },
  bob: { From: 'lee@two.example', To: 'Bob Ann <bob@two.example>', Bcc: 'Hidden Lee <h@two.example>' },
  umlaut: { Subject: 'Diese Äpfel', body: 'Zwei Birnen' },
  cyrillic: { Subject: 'Привет' },
  percent: { Subject: 'Save 50% today', body: 'That one.' },
  fifty: { Subject: 'Save 50 today', body: "It's that_one." },
  quoted: { Subject: "one 'two three", body: 'one two=one two' },
  plus: { To: 'Reader <reader+nightly@example.com>' },
  encoded: { 'X-Tags': '=?utf-8?q?Two_words?=, other' },
  attached: { 'Content-Type': mixed, body: partsOf('\r\nSee the file', file) },
  pictured: { 'Content-Type': related, body: partsOf(html, picture) },
  both: {
    'Content-Type': 'multipart/alternative; boundary=b',
    body: partsOf('Content-Type: text/plain\r\n\r\nplainly', 'Content-Type: text/html\r\n\r\n<p>richly'),
  },
  large: { body: 'A line of a large mail.\r\n'.repeat(2000) },
};
const all = Object.keys(mails);
const allBut = (...left: string[]) => all.filter((name) => !left.includes(name));

const program = await programOfAll();
// A random domain may contain a query's digits.
const user = await createUser(program, { domain: 'readers.test' });
for (const [name, { body = 'Nothing else', ...fields }] of Object.entries(mails)) {
  const given = { From: 'other@other.example', To: 'anybody@other.example', ...fields };
  const head = Object.entries(given).map(([field, value]) => `${field}: ${value}\r\n`);
  const raw = `${head.join('')}MIME-Version: 1.0\r\n\r\n${body}\r\n`;
  names.set(await deliverOne(program, { to: user.address, from: 'bounces@other.example', raw }), name);
}
const [ann] = [...names].find(([, name]) => name === 'ann') ?? [];
await ok(user.api.patch(`/api/messages/${ann}`, { is_read: true }));

async function found(q: string): Promise<string[]> {
  const { items } = await ok(user.api.get(`/api/messages?limit=200&q=${encodeURIComponent(q)}`));
  return items.map(({ id }: { id: number }) => names.get(id) ?? `${id}`).toReversed();
}

const same: Record<string, Same[]> = {
  'tests of searches': [
    ['from-7@example.com', ['7']],
    ['from:from-7@example.com', ['7']],
    ['to-7@example.com', ['7']],
    ['to:to-7@example.com', ['7']],
    ['to2-7@example.com', ['7']],
    ['to:to2-7@example.com', ['7']],
    ['cc-7@example.com', ['7']],
    ['cc:cc-7@example.com', ['7']],
    ['cc2-7@example.com', ['7']],
    ['cc:cc2-7@example.com', ['7']],
    ['"Numbered 7 here"', ['7']],
    ['subject:"Numbered 7 here"', ['7']],
    ['All of these have a text', numbers],
    ['richly', ['both']],
    ['-from:from-1@example.com', allBut('1')],
    ['-FROM:FROM-1@EXAMPLE.COM', allBut('1')],
    ['to:from-1@example.com', []],
    ['from:@example.com', numbers],
    ['subject:"Numbered"', numbers],
    ['subject:"NUMBERED 7 HERE"', ['7']],
    ['-ThisDoesNotExist', all],
    ['thisdoesnotexist', []],
    ['tag:"Run number 7"', ['7']],
    ['tag:"RUN NUMBER 7"', ['7']],
  ],
  'tests of quotes and sizes': [
    ['today save 50', ['percent', 'fifty']],
    ['"save 50" today', ['percent', 'fifty']],
    ['subject:save today 50', ['percent', 'fifty']],
    ['subject:"save 50" today', ['percent', 'fifty']],
    ['subject:"save 50" "today"', ['percent', 'fifty']],
    ['subject:"one \'two" "three"', ['quoted']],
    ['subject:"one \'two three', ['quoted']],
    ['"one two"="one two"', ['quoted']],
    ["it's", ['fifty']],
    ['larger:20k', ['large']],
    ['larger:20KB', ['large']],
    ['larger:"20 K"', ['large']],
    ['larger:"20 kB"', ['large']],
    ['larger:0.02M', ['large']],
    ['larger:20000', ['large']],
    ['smaller:1m', all],
    ['smaller:"1 MB"', all],
    ['larger:invalid', []],
    ['larger:1.2.3M', []],
  ],
  documentation: [
    ['lee ann', ['ann', 'bob']],
    ['"ann lee"', ['ann']],
    ['to:"bob ann"', ['bob']],
    ['from:"ann lee"', ['ann']],
    ['cc:"copy 7"', ['7']],
    ['bcc:"hidden lee"', ['bob']],
    ['subject:"diese Äpfel"', ['umlaut']],
    ['"DIESE äpfel"', ['umlaut']],
    ['message-id:77.1.queue@one.example', ['ann']],
    ['tag:other', ['encoded']],
    ['lee -ann', []],
    ['is:read', ['ann']],
    ['is:unread', allBut('ann')],
    ['smaller:1.5MB', all],
    ['larger:2M', []],
    ['before:2020/04/01', []],
    ['after:2020/04/01', all],
    ['-after:2020/04/01', []],
  ],
  changelog: [
    ['ПРИВЕТ', ['cyrillic']],
    ['after:"2020-04-01 10:00:00"', all],
    ['after:2020-04-01T10:00:00+02:00', all],
    ['tag:"Two words"', ['encoded']],
  ],
};

const minus = 'A word may begin with an exclamation mark.';
const named = 'A word is looked for in subject, sender, recipients and text, as the API says.';
const percent = 'Mailpit takes the signs of LIKE for any text. Here they are themselves.';
const picture1 = 'A picture of the HTML is among the attachments of a message.';
const textPart = 'The text part of a mail is searched beside its HTML.';
const isWord = 'A value that cannot be read makes a word, since a filter that is left out shows all mail.';

const different: Different[] = [
  { mailpit: '!thisdoesnotexist', there: all, here: [], why: minus, q: '-thisdoesnotexist' },
  { mailpit: '!tag:"Run number 7"', there: allBut('7'), here: [], why: minus, q: '-tag:"Run number 7"' },
  { mailpit: '!is:read', there: allBut('ann'), here: [], why: minus, q: '-is:read' },
  { mailpit: '!"save 50" all', there: numbers, here: [], why: minus, q: '-"save 50" all' },
  { mailpit: 'reply-to-7@example.com', there: ['7'], here: [], why: named, q: 'header:Reply-To=reply-to-7@' },
  {
    mailpit: 'reply-to:"desk 7"',
    there: ['7'],
    here: [],
    why: 'header: takes any field.',
    q: 'header:Reply-To="desk 7"',
  },
  { mailpit: 'figures.csv', there: ['attached'], here: [], why: named, q: 'filename:figures.csv' },
  { mailpit: 'plainly', there: [], here: ['both'], why: textPart },
  {
    mailpit: '"a text 7 semi colon"',
    there: ['7'],
    here: [],
    q: '"a text, 7 <semi;colon>"',
    why: 'A text is compared as it is written. Mailpit has spaces in place of <>",;() in both.',
  },
  {
    mailpit: 'addressed:"lee"',
    there: ['ann', 'bob'],
    here: [],
    q: 'from:lee OR to:lee OR header:Reply-To=lee',
    why: 'OR says it, of the fields that matter.',
  },
  {
    mailpit: 'to:cc-7@example.com',
    there: [],
    here: ['7'],
    q: 'header:To=cc-7',
    why: 'Recipients are all who get the mail: in To, Cc, Bcc and the envelope.',
  },
  {
    mailpit: 'message-id:77.1',
    there: ['ann'],
    here: [],
    q: 'header:Message-ID=77.1',
    why: 'The id of a mail is exact, since one may stand within another.',
  },
  {
    mailpit: 'subject:"DIESE äpfel"',
    there: [],
    here: ['umlaut'],
    why: 'Case counts for no letter, in fields neither.',
  },
  { mailpit: 'apfel', there: [], here: ['umlaut'], why: 'Accents do not count.' },
  { mailpit: '50%', there: ['percent', 'fifty'], here: ['percent'], why: percent, q: '50' },
  {
    mailpit: '-subject:50%',
    there: allBut('percent', 'fifty'),
    here: allBut('percent'),
    why: percent,
    q: '-50',
  },
  { mailpit: 'that%one', there: ['percent', 'fifty'], here: [], why: percent, q: 'that one' },
  {
    mailpit: 'that_one',
    there: ['percent', 'fifty'],
    here: ['fifty'],
    why: percent,
    q: '"that one" OR that_one',
  },
  {
    mailpit: 'has:attachment',
    there: ['attached'],
    here: ['attached', 'pictured'],
    why: picture1,
    q: 'has:attachment -header:Content-Type=related',
  },
  {
    mailpit: '-has:attachments',
    there: allBut('attached'),
    here: allBut('attached', 'pictured'),
    why: picture1,
    q: '-has:attachments OR header:Content-Type=related',
  },
  {
    mailpit: 'has:inline',
    there: ['pictured'],
    here: [],
    why: picture1,
    q: 'has:attachment header:Content-Type=related',
  },
  {
    mailpit: 'is:tagged',
    there: [...numbers, 'plus', 'encoded'],
    here: [],
    q: 'header:X-Tags OR to:+nightly@',
    why: 'A tag is asked for by its name. The field finds the mail that came with any.',
  },
  {
    mailpit: 'tag:nightly',
    there: ['plus'],
    here: [],
    q: 'to:+nightly@',
    why: 'The text behind + makes no tag of the message. address: takes it with its address, exactly.',
  },
  { mailpit: 'after:whenever "save 50"', there: ['percent', 'fifty'], here: [], why: isWord, q: '"save 50"' },
  {
    mailpit: 'after:04/01/2020',
    there: all,
    here: [],
    q: 'after:2020/04/01',
    why: 'Countries write day and month in different orders, and a wrong one would find other mail.',
  },
];

for (const [origin, rows] of Object.entries(same)) {
  for (const [q, finds] of rows) test(`${origin}: ${q}`, async () => assert.deepEqual(await found(q), finds));
}

for (const { mailpit, there, here, why, q } of different) {
  test(`other than Mailpit: ${mailpit}`, async () => {
    assert.deepEqual(await found(mailpit), here, why);
    assert.notDeepEqual(here, there);
    if (q !== undefined) assert.deepEqual(await found(q), there, q);
  });
}
