import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf } from './read-password.ts';

test('a password is one line of UTF-8, with or without its end', () => {
  for (const text of ['correct horse', 'correct horse\n', 'correct horse\r\n'])
    assert.equal(lineOf(Buffer.from(text)), 'correct horse');
  for (const [bytes, said] of [
    [Buffer.from(''), /no password on standard input/],
    [Buffer.from('\n'), /no password on standard input/],
    [Buffer.from('correct horse\nbattery staple\n'), /must be a single line/],
    [Buffer.from('6162636465666768696aff', 'hex'), /is not UTF-8/],
  ] as const)
    assert.throws(() => lineOf(bytes), said);
});
