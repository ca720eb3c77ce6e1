import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dkimBody } from 'mailauth/lib/dkim/body/index.js';
import { CanonicalBody, type Canonicalization } from './body.ts';

const canonicalizations: Canonicalization[] = ['simple', 'relaxed'];
const limits = [0, 1, 2, 3, 5, 8, Number.POSITIVE_INFINITY];

function ours(canonicalization: Canonicalization, body: Buffer, piece: number) {
  const canonical = new CanonicalBody(canonicalization);
  const results = limits.map((limit) => canonical.ask('sha256', limit));
  for (let at = 0; at < body.length; at += piece) canonical.update(body.subarray(at, at + piece));
  return { results: results.map((result) => result()), length: canonical.length };
}

/** Hashes with mailauth, whose message parser first writes CRLF for each lone LF. */
function theirs(canonicalization: Canonicalization, body: Buffer) {
  const lines = Buffer.from(body.toString('latin1').replace(/(?<!\r)\n/g, '\r\n'), 'latin1');
  const hashers = limits.map((limit) => {
    const hasher = dkimBody(canonicalization, 'sha256', Number.isFinite(limit) ? limit : '');
    hasher.update(lines);
    return { base64: hasher.digest('base64'), hashedBytes: hasher.bodyHashedBytes, hasher };
  });
  return {
    results: hashers.map(({ base64, hashedBytes }) => ({ base64, hashedBytes })),
    length: hashers[0]?.hasher.canonicalizedLength,
  };
}

/** Generates the bodies of up to `most` of these octets. */
function* bodies(octets: string, most: number): Generator<string> {
  let last = [''];
  for (let length = 0; length <= most; length++) {
    yield* last;
    last = last.flatMap((body) => Array.from(octets, (octet) => body + octet));
  }
}

for (const canonicalization of canonicalizations) {
  test(`${canonicalization} bodies have the hashes that mailauth gives them, in pieces of any size`, () => {
    for (const text of bodies('a \t\r\n', 6)) {
      const body = Buffer.from(text);
      const expected = theirs(canonicalization, body);
      assert.deepEqual(ours(canonicalization, body, 1), expected, JSON.stringify(text));
      assert.deepEqual(ours(canonicalization, body, 4), expected, JSON.stringify(text));
    }
  });
}

test('twenty lengths of a long body are hashed in one pass', () => {
  const body = Buffer.from('\t\r\n'.repeat(1_000_000));
  const canonical = new CanonicalBody('relaxed');
  const results = Array.from({ length: 20 }, (_, at) => canonical.ask('sha256', at));
  canonical.update(body);
  canonical.update(Buffer.from('end'));
  assert.equal(new Set(results.map((result) => result().base64)).size, 20);
  assert.equal(canonical.length, 2_000_005);
});
