import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Envelope } from './message.ts';
import { type KeptLine, keptTranscript, lastLines, transcriptOf, writeTranscript } from './transcript.ts';

const client = (line: string, team?: number | null): KeptLine => ({
  ...{ atMs: 3, from: 'client', line },
  ...(team !== undefined && { team }),
});
const server = (line: string, team?: number | null): KeptLine => ({ ...client(line, team), from: 'server' });
const rcpt = (address: string, team: number | null) => [
  client(`RCPT TO:<${address}> NOTIFY=NEVER`, team),
  server(`250 ${address}`, team),
];

const envelope: Envelope = {
  ...{ mailFrom: 's@s.test', rcptTo: ['moved@a.test', 'Own@a.test'], helo: 'h', remoteAddress: null },
  ...{ tls: false, receivedBy: 'mx.test' },
};
const read = (lines: KeptLine[], team: number) =>
  keptTranscript({ envelope, content: { transcript: writeTranscript(lines) } }, team).map(({ line }) => line);

const cases: [string, KeptLine[], string[]][] = [
  ['lines for all', [server('220 hello'), client('EHLO x')], ['220 hello', 'EHLO x']],
  ['those of the reader', rcpt('new@a.test', 7), ['RCPT TO:<new@a.test> NOTIFY=NEVER', '250 new@a.test']],
  ['not those of another team', rcpt('b@b.test', 8), []],
  ['not those of nobody', rcpt('b@b.test', null), []],
  [
    'those of the envelope, whoever owned the domain then',
    [...rcpt('moved@a.test', 6), ...rcpt('gone@a.test', 6)],
    ['RCPT TO:<moved@a.test> NOTIFY=NEVER', '250 moved@a.test'],
  ],
  ['an empty line', [server('')], ['']],
  [
    'not the reply to a command with a line separator of Unicode',
    [...rcpt('own@a.test', 7), client('RCPT TO:<b@b.test> X=\u2028', 8), server('550 <b@b.test>', 8)],
    ['RCPT TO:<own@a.test> NOTIFY=NEVER', '250 own@a.test'],
  ],
];

for (const [name, lines, seen] of cases) {
  test(`a team sees ${name}`, () => assert.deepEqual(read(lines, 7), seen));
}

test('a dialogue ends with the reply that names the id of the message', () => {
  const message = {
    id: 12,
    envelope,
    content: { transcript: writeTranscript([client('DATA'), client('.')]) },
  };
  assert.deepEqual(transcriptOf(message, 7), [
    { atMs: 3, from: 'client', line: 'DATA' },
    { atMs: 3, from: 'client', line: '.' },
    { atMs: 3, from: 'server', line: '250 2.6.0 stored as 12' },
  ]);
  assert.deepEqual(transcriptOf({ ...message, content: {} }, 7), []);
});

test('the last lines of a dialogue are whole ones', () => {
  const written = writeTranscript([client('EHLO x'), server('250 x'), client('DATA')]);
  assert.equal(lastLines(written, written.length), written);
  const last = writeTranscript([server('250 x'), client('DATA')]);
  assert.equal(lastLines(written, written.length - 1), last);
  assert.equal(lastLines(written, 3), '');
});

test('rows that are no lines are left out, as an archive may have them', () => {
  const transcript = ['1C EHLO x', 'nonsense', '', '2X y', '3S 250 x'].join('\x7f');
  const lines = keptTranscript({ envelope, content: { transcript } }, 7);
  assert.deepEqual(
    lines.map(({ line }) => line),
    ['EHLO x', '250 x'],
  );
});
