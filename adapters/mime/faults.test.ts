import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MimeFaultKind } from '#core/audit/facts.ts';
import { arrival, cut } from '#test/support/program/arrival.ts';
import { parseMail } from './mail-parser.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const mixed = 'Content-Type: multipart/mixed; boundary=b\n\n';
const encoded = 'Content-Transfer-Encoding: base64\n\n';
const quoted = 'Content-Transfer-Encoding: quoted-printable\n\n';
const part = '--b\nContent-Type: text/plain\n\n';
const html = (label: string) => `Content-Type: text/html${label}\n\n`;

const cases: [what: string, mail: string, text: string | null, faults: MimeFaultKind[]][] = [
  // Multiparts.
  ['whole multipart', `${mixed}ignored\n${part}one\n--b--\nignored`, 'one', []],
  ['no boundary', `Content-Type: multipart/mixed\n\n${part}one\n--b--`, `${part}one\n--b--`, ['no-boundary']],
  ['an empty boundary', `Content-Type: multipart/mixed; boundary=""\n\none`, 'one', ['no-boundary']],
  ['another boundary', `${mixed}--c\n\none\n--c--\n`, '--c\n\none\n--c--\n', ['no-delimiter']],
  ['a boundary in other letters', `${mixed}--B\n\none\n--B--\n`, '--B\n\none\n--B--\n', ['no-delimiter']],
  ['no delimiter', `${mixed}one\ntwo`, 'one\ntwo', ['no-delimiter']],
  ['nothing', mixed, null, ['no-delimiter']],
  ['blank lines alone', `${mixed}\n \n`, null, ['no-delimiter']],
  ['no part', `${mixed}one\n--b--\ntwo`, 'one', ['no-part']],
  ['no closing delimiter', `${mixed}${part}one\n`, 'one\n', ['not-closed']],
  [
    'an end within the header of a part',
    `${mixed}${part}one\n--b\nContent-Type: text/plain`,
    'one\n',
    ['not-closed'],
  ],
  [
    'an inner multipart without parts',
    `${mixed}--b\nContent-Type: multipart/alternative; boundary=i\n\none\n${part}two\n--b--`,
    'one\ntwo',
    ['no-delimiter'],
  ],
  [
    'an inner multipart without a boundary',
    `${mixed}--b\nContent-Type: multipart/alternative\n\none\n${part}two\n--b--`,
    'one\ntwo',
    ['no-boundary'],
  ],
  [
    'an inner multipart that is not closed',
    `${mixed}--b\nContent-Type: multipart/alternative; boundary=i\n\n--i\n\none\n--b--`,
    'one',
    ['not-closed'],
  ],
  // Header sections that no blank line follows.
  ['no header', 'Your code is 482913.\nBye', 'Your code is 482913.\nBye', ['no-blank-line']],
  ['no header, and paragraphs', 'Hello!\n\nBye\n', 'Hello!\n\nBye\n', ['no-blank-line']],
  ['no blank line', 'Subject: a\nYour code\n is: 1\n\nBye', 'Your code\n is: 1\n\nBye', ['no-blank-line']],
  ['no blank line, and CRLF', 'Subject: a\r\nHello!\r\n\r\nBye\r\n', 'Hello!\n\nBye\n', ['no-blank-line']],
  [
    'no blank line in a part',
    `${mixed}--b\nHello!\n--b\nContent-Type: text/plain\nBye!\n\n--b--`,
    'Hello!\nBye!\n',
    ['no-blank-line'],
  ],
  [
    'a long line in place of a header',
    `${'x'.repeat(90_000)}\ny`,
    `${'x'.repeat(90_000)}\ny`,
    ['no-blank-line'],
  ],
  ['many lines in place of a header', 'hello\n'.repeat(20_000), 'hello\n'.repeat(20_000), ['no-blank-line']],
  [
    'no blank line, and lines with a colon',
    'Subject: a\nHello\nhttps://app.test/?t=1\nCode: 1\n\nBye',
    'Hello\nhttps://app.test/?t=1\nCode: 1\n\nBye',
    ['no-blank-line'],
  ],
  [
    'no blank line before a URL',
    'Subject: a\nhttps://app.test/?t=1\n',
    'https://app.test/?t=1\n',
    ['no-blank-line'],
  ],
  ['a line that is no field, and any field behind a usual one', 'x\nX-A: a\nFoo: a\n\none', 'one', []],
  [
    'a parameter that is not folded',
    'Content-Type: multipart/mixed;\nboundary="b"\n\n--b\n\none\n--b--',
    'one',
    [],
  ],
  ['a line that is no field before a field', 'Garbage\nSubject: a\n\none', 'one', []],
  ['a line of an mbox file', 'From ann Sat Nov 21\nSubject: a\n\none', 'one', []],
  ['a line of an mbox file alone', 'From ann Sat Nov 21\n\none', 'one', []],
  // Transfer encodings.
  ['an unknown encoding', 'Content-Transfer-Encoding: x-no-such\n\none', 'one', ['unknown-encoding']],
  [
    'an unknown encoding of a part',
    `${mixed}--b\nContent-Transfer-Encoding: uuencode\n\none\n--b--`,
    'one',
    ['unknown-encoding'],
  ],
  [
    'an encoding with a comment',
    `Content-Transfer-Encoding: (a (b)) "BASE64";\n\n${base64('one')}`,
    'one',
    [],
  ],
  ['8-bit', 'Content-Transfer-Encoding: 8-bit\n\none', 'one', []],
  ['whole base64', `${encoded}${base64('one')}\n\n${base64(' two')}  \n`, 'one two', []],
  [
    'a text in place of base64',
    `${encoded}Your code is 482913.\nBye`,
    'Your code is 482913.\nBye',
    ['not-base64'],
  ],
  ['words in place of base64', `${encoded}Your code is 482913\n`, 'Your code is 482913\n', ['not-base64']],
  [
    'an address in place of base64',
    `${encoded}https://app.test/verify?t=1`,
    'https://app.test/verify?t=1',
    ['not-base64'],
  ],
  [
    'a footer behind base64',
    `${encoded}${base64('one')}\n_____\nList\n`,
    'one\n_____\nList\n',
    ['not-base64'],
  ],
  [
    'a stray sign in base64',
    `${encoded}${base64('one two three').replace('3', '3*')}`,
    'one two three',
    ['not-base64'],
  ],
  ['base64 that is cut', `${encoded}${base64('one two').slice(0, 6)}`, 'one ', ['cut-base64']],
  ['quoted-printable that is none', `${quoted}1=2 a=3Db =\n=zz`, '1=2 a=b =zz', ['broken-quoted-printable']],
  ['quoted-printable that is cut', `${quoted}one=3`, 'one=3', ['broken-quoted-printable']],
  ['a soft line break at the end', `${quoted}one=`, 'one', []],
  // Characters.
  ['UTF-8', 'Content-Type: text/plain; charset=utf-8\n\ncaf\xc3\xa9 \xef\xbf\xbd', 'café \ufffd', []],
  [
    'octets that are no UTF-8',
    'Content-Type: text/plain; charset=utf-8\n\ncaf\xe9',
    'caf\ufffd',
    ['undecodable'],
  ],
  [
    'octets that are no EUC-KR',
    'Content-Type: text/plain; charset=euc-kr\n\n\xff',
    '\ufffd',
    ['undecodable'],
  ],
  ['octets without a charset', '\ncaf\xe9', 'café', ['undeclared-charset']],
  ['UTF-8 without a charset', '\ncaf\xc3\xa9', 'café', []],
  [
    'octets in ASCII',
    'Content-Type: text/plain; charset=us-ascii\n\ncaf\xe9',
    'café',
    ['undeclared-charset'],
  ],
  [
    'an unknown charset',
    'Content-Type: text/plain; charset=x-no-such\n\ncaf\xe9',
    'café',
    ['unknown-charset'],
  ],
  ['meta', `${html('')}<meta charset=koi8-r>\xed`, null, []],
  ['a word that does not decode', 'Subject: =?utf-8?Q?caf=E9?=\n\none', 'one', ['undecodable']],
  ['a U+FFFD that was sent', 'Subject: a\xef\xbf\xbd =?utf-8?Q?b?=\n\none', 'one', []],
  // Several at the same time.
  [
    'several faults',
    `${mixed}--b\n${encoded}a.b\n--b\nContent-Type: text/plain; charset=x\n\none`,
    null,
    ['not-closed', 'not-base64', 'unknown-charset'],
  ],
];

for (const [what, mail, text, faults] of cases) {
  test(`tells ${what}`, async () => {
    for (const size of mail.length < 1000 ? [1, 7, 10_000] : [999, 200_000]) {
      const { content, facts } = await parseMail(cut(Buffer.from(mail, 'latin1'), size), arrival);
      if (text !== null || content.text === null) assert.equal(content.text, text);
      assert.deepEqual([...facts.faults.keys()], faults);
    }
  });
}

test('tells base64 that is none of an attachment', async () => {
  const head = `Content-Type: application/pdf; name=a.pdf\n${encoded}`;
  const { content, facts } = await parseMail(Buffer.from(`${head}no, this is none`), arrival);
  assert.deepEqual([content.attachments.length, [...facts.faults.keys()]], [1, ['not-base64']]);
});

test('tells octets that do not decode anywhere in a long text', async () => {
  const long = 'caf\xc3\xa9 \xef\xbf\xbd\n'.repeat(60_000);
  const head = 'Content-Type: text/plain; charset=utf-8\n\n';
  for (const size of [997, 65_536]) {
    const sound = await parseMail(cut(Buffer.from(head + long, 'latin1'), size), arrival);
    assert.deepEqual([...sound.facts.faults.keys()], [], `pieces of ${size}`);
    const broken = await parseMail(cut(Buffer.from(`${head}${long}\xe9`, 'latin1'), size), arrival);
    assert.deepEqual([...broken.facts.faults.keys()], ['undecodable'], `pieces of ${size}`);
  }
});

test('reads long texts in every kind of encoding as short ones', async () => {
  const line = Buffer.from('b0a1b3aa0d0a', 'hex');
  for (const charset of ['euc-kr', 'cp437', 'utf-8']) {
    const head = Buffer.from(`Content-Type: text/plain; charset=${charset}\n\n`);
    const short = await parseMail(Buffer.concat([head, line]), arrival);
    const long = await parseMail(cut(Buffer.concat([head, ...Array(60_000).fill(line)]), 1001), arrival);
    assert.equal(long.content.text?.slice(0, short.content.text?.length), short.content.text);
  }
});
