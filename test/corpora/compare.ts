import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { simpleParser } from 'mailparser';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { corpora } from './fetch.ts';

/**
 * Compares what Sandpost reads in mails that others wrote with what Python's `email` and mailparser read. Prints the mails
 * in which neither agrees, part by part, and the sums. `--all` prints those in which one agrees, too.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } });

type Read = {
  text: string;
  html: string;
  subject: string;
  sender: string;
  date: string;
  attachments: string;
};

const arrival: Arrival = {
  mailFrom: '',
  helo: null,
  remoteAddress: null,
  receivedBy: 'mx.app.test',
  receivedAt: new Date('2026-11-21T10:00:00Z'),
  smtpUtf8: false,
  submitted: false,
};

/** Options that leave text and HTML as they were sent, and reports as attachments. */
const options = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepCidLinks: true,
  keepDeliveryStatus: true,
};

/** Makes values comparable: readers differ in blanks at the ends of lines and between parts. */
function plain(value: string): string {
  return value.replaceAll('<br/>', '').replace(/\s+/g, ' ').trim();
}

async function ours(raw: Buffer): Promise<Read> {
  const { content } = await parseMail(raw, arrival);
  return {
    text: plain(content.text ?? ''),
    html: plain(content.html ?? ''),
    subject: plain(content.subject),
    sender: content.from?.address ?? '',
    date: String(content.date?.getTime() ?? ''),
    attachments: content.attachments
      .map(({ filename, sha256, contentType }) =>
        listed(filename ?? '', contentType.startsWith('message/') ? null : sha256),
      )
      .join(' '),
  };
}

async function byMailparser(raw: Buffer): Promise<Read> {
  const mail = await simpleParser(raw, options);
  return {
    text: plain(mail.text ?? ''),
    html: plain(mail.html || ''),
    subject: plain(mail.subject ?? ''),
    sender: mail.from?.value[0]?.address ?? '',
    date: String(mail.date?.getTime() ?? ''),
    attachments: mail.attachments
      .map(({ filename, content, contentType }) =>
        listed(
          filename || '',
          contentType.startsWith('message/') ? null : createHash('sha256').update(content).digest('hex'),
        ),
      )
      .join(' '),
  };
}

function listed(filename: string, sha256: string | null): string {
  return `${filename}=${sha256?.slice(0, 8) ?? 'message'}`;
}

type Reply =
  | { error: string }
  | (Omit<Read, 'attachments' | 'date'> & { date: number | null; attachments: [string, string | null][] });

function byPython(files: string[]): (Read | null)[] {
  const script = path.join(import.meta.dirname, 'read_mails.py');
  const { stdout, stderr, status } = spawnSync('python3', [script], {
    input: files.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1_073_741_824,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const reply = JSON.parse(line) as Reply;
      if ('error' in reply) return null;
      return {
        text: plain(reply.text),
        html: plain(reply.html),
        subject: plain(reply.subject),
        sender: reply.sender,
        date: reply.date === null ? '' : String(reply.date * 1000),
        attachments: reply.attachments.map(([name, sha256]) => listed(name, sha256)).join(' '),
      };
    });
}

/** Cuts two values around the first difference. */
function around(one: string, other: string): [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 20);
  return [JSON.stringify(one.slice(from, at + 90)), JSON.stringify(other.slice(from, at + 90))];
}

const fields = ['text', 'html', 'subject', 'sender', 'date', 'attachments'] as const;
let mails = 0;
const sums = Object.fromEntries(fields.map((field) => [field, { both: 0, one: 0, none: 0 }]));

for (const [name, files] of corpora()) {
  const chosen = files.filter((file) => positionals.every((word) => file.includes(word)));
  if (chosen.length === 0) continue;
  process.stdout.write(`# ${name}: ${chosen.length} mails\n`);
  const python = byPython(chosen);
  for (const [at, file] of chosen.entries()) {
    const raw = readFileSync(file);
    const [here, mailparser] = [await ours(raw), await byMailparser(raw).catch(() => null)];
    mails += 1;
    for (const field of fields) {
      const theirs = [python[at]?.[field], mailparser?.[field]];
      const agreeing = theirs.filter((value) => value === here[field]).length;
      const sum = sums[field];
      if (sum !== undefined) sum[agreeing === 2 ? 'both' : agreeing === 1 ? 'one' : 'none'] += 1;
      if (agreeing === 2 || (agreeing === 1 && values.all !== true)) continue;
      process.stdout.write(`${path.basename(file)} ${field}\n`);
      for (const [reader, value] of [
        ['python', theirs[0]],
        ['mailparser', theirs[1]],
      ] as const) {
        if (value === here[field]) continue;
        const [left, right] =
          value === undefined ? [here[field].slice(0, 80), 'no answer'] : around(here[field], value);
        process.stdout.write(`    ours ${left}\n    ${reader} ${right}\n`);
      }
    }
  }
}
process.stdout.write(`${mails} mails\n`);
for (const [field, { both, one, none }] of Object.entries(sums))
  process.stdout.write(`${field}: both agree ${both}, one ${one}, none ${none}\n`);
