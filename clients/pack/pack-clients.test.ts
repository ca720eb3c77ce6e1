import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import { programVersion } from '#telemetry/program-version.ts';
import { tarGzip, zip } from './archives.ts';
import { packClients } from './pack-clients.ts';

const files = await packClients(programVersion);

/** Release files by name, with the SHA-512 of their bytes. */
const released: Record<string, string> = JSON.parse(readFileSync('clients/released.json', 'utf8'));

test('a file of a release never changes, and no file joins a release', () => {
  const isReleased = Object.keys(released).some((name) => name.includes(`-${programVersion}`));
  const now = Object.fromEntries(files.map(({ name, sha512 }) => [name, sha512]));
  const then = Object.entries(released).filter(([name]) => name.includes(`-${programVersion}`));
  assert.deepEqual(isReleased ? now : {}, Object.fromEntries(then));
});

test('files are packed to the same bytes each time, and have the version in their name and in no placeholder', async () => {
  assert.deepEqual(await packClients(programVersion), files);
  for (const { name, bytes } of files) {
    assert.ok(name.includes(programVersion), name);
    assert.ok(!(name.endsWith('.tgz') ? gunzipSync(bytes) : bytes).includes('@VERSION@'), name);
  }
});

/** SHA-256 of single-file archives, on all machines and days. */
const sums = [
  [tarGzip, 'd20835921031b5fee63469682e020bd4f0dd7c693c5e68241a8aa5cf7f6f8cd1'],
  [zip, '306e4801f76e113686516a6bbd66f7afac5cf4c671dc811dc6ede502ae4ca15b'],
] as const;

for (const [pack, sum] of sums) {
  test(`the bytes of an archive depend on its entries alone: ${pack.name}`, () => {
    const entries = [{ name: 'package/a', bytes: Buffer.from('abc') }];
    assert.equal(hash('sha256', pack(entries), 'hex'), sum);
  });
}

test('an archive of more than one stored block is a gzip file with what was put in', () => {
  const bytes = Buffer.alloc(200_000, 'abc');
  const tar = gunzipSync(tarGzip([{ name: 'package/a', bytes }]));
  assert.equal(tar.length % 512, 0);
  assert.deepEqual(tar.subarray(512, 512 + bytes.length), bytes);
  assert.equal(tar.toString('latin1', 0, 9), 'package/a');
});

test('a ZIP archive lists its entries at their places', () => {
  const archive = zip([
    { name: 'a', bytes: Buffer.from('one') },
    { name: 'b/c', bytes: Buffer.from('two') },
  ]);
  const end = archive.subarray(-22);
  assert.equal(end.readUInt16LE(10), 2);
  const directory = archive.subarray(end.readUInt32LE(16), end.readUInt32LE(16) + end.readUInt32LE(12));
  const second = directory.subarray(46 + 1);
  assert.equal(second.readUInt32LE(16), crc32('two'));
  const member = archive.subarray(second.readUInt32LE(42));
  assert.equal(member.toString('latin1', 0, 4), 'PK\x03\x04');
  assert.equal(member.toString('latin1', 30, 36), 'b/ctwo');
});
