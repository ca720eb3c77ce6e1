import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRspamdAnswer, readSpamdAnswer } from './spam-answers.ts';

const head = 'SPAMD/1.1 0 EX_OK\r\nContent-length: 933\r\nSpam: True ; 6.8 / 5.0\r\n\r\n';
const report = `Spam detection software, running on the system "mx", has
1.0 NOT_A_RULE              in the preview

 pts rule name              description
---- ---------------------- --------------------------------------------------
-0.0 NO_RELAYS              Informational: message was not relayed via SMTP
 5.0 DRUGS_ERECTILE         Refers to an erectile
                            drug
1000 GTUBE                  BODY: Generic Test

 1.0 AFTER_THE_TABLE        of another part
`;

test('the report of spamd has a score and rules, the heaviest first', () => {
  assert.deepEqual(readSpamdAnswer(head + report), {
    score: 6.8,
    threshold: 5,
    rules: [
      { name: 'GTUBE', score: 1000, description: 'BODY: Generic Test' },
      { name: 'DRUGS_ERECTILE', score: 5, description: 'Refers to an erectile drug' },
      { name: 'NO_RELAYS', score: -0, description: 'Informational: message was not relayed via SMTP' },
    ],
    error: null,
  });
  assert.deepEqual(readSpamdAnswer(head).rules, []);
  const negative = 'SPAMD/1.1 0 EX_OK\r\nSpam: False ; -1.2 / 5.0\r\n\r\n';
  assert.equal(readSpamdAnswer(negative).score, -1.2);
});

test('what is no answer of spamd is refused', () => {
  const answers = [
    '',
    'HTTP/1.1 200 OK\r\n\r\n',
    head.replace('0 EX_OK', '76 Bad header line'),
    head.replace('6.8', '.-.'),
    head.replace(/Spam.*\r\n/, ''),
    '\r\n\r\n'.repeat(10_000),
    `SPAMD/1.1 0 EX_OK\r\n${'a\r\n'.repeat(50_000)}`,
  ];
  for (const answer of answers) assert.throws(() => readSpamdAnswer(answer), { name: 'UnreadableAnswer' });
});

test('the JSON of rspamd has a score and symbols', () => {
  const symbols = {
    A: { name: 'A', score: 1.5, metric_score: 2, description: 'First' },
    B: { name: 'B', score: 3 },
  };
  assert.deepEqual(readRspamdAnswer(JSON.stringify({ score: 4.5, required_score: 15, symbols })), {
    score: 4.5,
    threshold: 15,
    rules: [
      { name: 'B', score: 3, description: '' },
      { name: 'A', score: 1.5, description: 'First' },
    ],
    error: null,
  });
  const many = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`${at}${'x'.repeat(1000)}`, { score: at, description: {} }]),
  );
  const { rules } = readRspamdAnswer(JSON.stringify({ score: 1, required_score: 2, symbols: many }));
  assert.equal(rules.length, 500);
  assert.ok(rules.every(({ name, description }) => name.length <= 500 && typeof description === 'string'));
});

test('what is no answer of rspamd is refused', () => {
  const answers = [
    '',
    '<html>',
    'null',
    '7',
    '[]',
    '{"score": "1", "required_score": 2, "symbols": {}}',
    '{"score": 1e999, "required_score": 2, "symbols": {}}',
    '{"score": 1, "symbols": {}}',
    '{"score": 1, "required_score": 2}',
    '{"score": 1, "required_score": 2, "symbols": {"A": null}}',
    '{"score": 1, "required_score": 2, "symbols": {"A": {}}}',
  ];
  for (const answer of answers) assert.throws(() => readRspamdAnswer(answer), answer);
});
