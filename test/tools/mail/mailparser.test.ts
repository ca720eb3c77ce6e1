import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { simpleParser } from 'mailparser';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import { arrival } from '#test/support/program/arrival.ts';
import { mailCorpus } from '#test/support/runner/fetch-mail-corpus.ts';

/** Options that leave text and HTML as sent, and treat reports as attachments. */
const options = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepCidLinks: true,
  keepDeliveryStatus: true,
};

/** Emails that mailparser reads differently, by the ends of their file names. The key is the reason. */
const differences: Record<string, string[]> = {
  'a text part with a file name is an attachment; mailparser adds it to the text unless its disposition says so':
    [
      'inlinemultipart.raw',
      'malformed-multiple-address-header-values.raw',
      'chardet-fail.raw',
      'nestedmulti.raw',
      'msg_04.txt',
      'msg_44.txt',
      'legacy_030.eml',
      'legacy_042.eml',
      'legacy_047.eml',
      'mails/attachments.eml',
    ],
  'an embedded message is one attachment; mailparser adds its text and its attachments to those of the mail':
    [
      'msg_02.txt',
      'msg_30.txt',
      'msg_34.txt',
      'rfc_002.eml',
      'rfc_004.eml',
      'thirdparty_007.eml',
      'dsn_03.txt',
    ],
  'octets above 127 without a charset are windows-1252 where they are not UTF-8; mailparser replaces them': [
    'chardet-success-big-5.raw',
    'chardet-success-iso-8859-1.raw',
    'legacy_052.eml',
    'simple_25.txt',
    'qmail_08.txt',
  ],
  'a delimiter of an outer multipart ends the inner ones (RFC 2046 section 5.1.2); mailparser overlooks it': [
    'msg_38.txt',
  ],
  'an ill-formed type is text/plain (RFC 2045 section 5.2); mailparser makes an attachment of it, or drops it':
    ['empty-ctype-bad-content.raw', 'msg_14.txt', 'malformed_017.eml'],
  'a multipart without parts is shown as text; mailparser drops it': [
    'msg_17.txt',
    'msg_25.txt',
    'msg_31.txt',
    'msg_41.txt',
    'malformed_002.eml',
    'malformed_004.eml',
    'unicode_issue.txt',
    'unconvertable_msg-2.txt',
  ],
  'a text that is declared as base64, and is none, is shown; mailparser decodes it all the same': [
    'mime-bad-content-transfer-encoding.raw',
    'thirdparty_002.eml',
  ],
  'lines at the end of a header section that are no fields are its body; mailparser drops them': [
    'mail_erroneous.raw',
    'msg_19.txt',
    'msg_35.txt',
    'c_a_non_ascii.eml',
  ],
  'UTF-7 is decoded; mailparser leaves it': [
    'legacy_001.eml',
    'legacy_005.eml',
    'legacy_034.eml',
    'ascii_in_utf7.eml',
  ],
  'the meta element of HTML tells its character set; mailparser takes UTF-8': [
    'non-mime-missing-charset.raw',
  ],
  'a boundary of a type other than multipart means nothing; mailparser looks for it': ['msg_40.txt'],
  'a part without a body is an attachment of no octets; mailparser drops it': ['netscape_01.txt'],
  'texts are joined by one line break; mailparser adds another': ['msg_10.txt'],
};

/** Makes both parsers' texts comparable: mailparser inserts `<br/>` at a text part among HTML parts. */
function plain(text: string | false | null | undefined): string {
  return (text || '').replace(/\r\n?/g, '\n').replaceAll('<br/>', '').trim();
}

/** Parses an email with both parsers: bodies, and each attachment's name and hash. */
async function readTwice(raw: Buffer) {
  const [{ content }, theirs] = await Promise.all([parseMail(raw, arrival), simpleParser(raw, options)]);
  return {
    ours: {
      text: plain(content.text),
      html: plain(content.html),
      attachments: content.attachments.map(({ filename, sha256 }) => [filename ?? '', sha256]),
    },
    theirs: {
      text: plain(theirs.text),
      html: plain(theirs.html),
      attachments: theirs.attachments.map(({ filename, content: body }) => [
        filename || '',
        createHash('sha256').update(body).digest('hex'),
      ]),
    },
  };
}

/** Compares the parsers on these emails: equal, or different and listed. */
async function compare(files: string[]): Promise<void> {
  const wrong: string[] = [];
  for (const file of files) {
    const reason = Object.keys(differences).find((why) =>
      differences[why]?.some((end) => file.endsWith(end)),
    );
    const { ours, theirs } = await readTwice(readFileSync(file));
    const equal = isDeepStrictEqual(ours, theirs);
    if (equal !== (reason === undefined))
      wrong.push(`${file} ${equal ? `is equal, but: ${reason}` : 'differs'}`);
  }
  assert.deepEqual(wrong, []);
}

test('reads the mails of the tests as mailparser does', () => compare(globSync('test/support/mails/*.eml')));

const files = corpus();

test(
  'reads mails that others wrote as mailparser does',
  {
    skip: typeof files === 'string' && files,
  },
  () => compare(Array.isArray(files) ? files : []),
);

/** Returns the corpus's emails, or the reason why it has none. */
function corpus(): string[] | string {
  try {
    return mailCorpus();
  } catch (error) {
    return `mails of others could not be downloaded: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}
