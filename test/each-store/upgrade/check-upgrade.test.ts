import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { programVersion } from '#telemetry/program-version.ts';
import { commandsOn } from '#test/support/program/command.ts';
import { onCluster, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { asEarlier } from './earlier-program.ts';
import { dumpOf, restoreFixture, uriOf } from './fixture.ts';

const first = onCluster ? { name: 'mongodb-6', version: 6 } : { name: 'sqlite-15', version: 15 };

/** Returns a hash of all bytes of a store. */
async function bytesOf(dataDir: string): Promise<string> {
  if (onCluster) return hash('sha256', await dumpOf(await uriOf(dataDir)));
  const files = readdirSync(dataDir).sort();
  return files.map((file) => `${file} ${hash('sha256', readFileSync(path.join(dataDir, file)))}`).join('\n');
}

test('check-upgrade tells what will happen to the store, and changes nothing', async () => {
  const dataDir = await temporaryDir();
  const run = await commandsOn(dataDir);
  assert.deepEqual(await run('check-upgrade'), {
    ...{ code: 0, err: '' },
    out: `sandpost ${programVersion}: no store exists yet; the first start creates it\n`,
  });
  assert.deepEqual(readdirSync(dataDir), []);

  await restoreFixture(first.name, dataDir);
  const before = await bytesOf(dataDir);
  const { code, out } = await run('check-upgrade');
  assert.equal(code, 0);
  assert.match(
    out,
    new RegExp(
      `: the first process to start will migrate the store from version ${first.version} to \\d+\\.`,
    ),
  );
  assert.match(
    out,
    new RegExp(`programs that support store version ${first.version} or later can use it at the same time`),
  );
  assert.equal(await bytesOf(dataDir), before);

  await using program = await startProgram({ SANDPOST_DATA_DIR: dataDir });
  assert.match((await run('check-upgrade')).out, /: the store is at version \d+ and needs no migration; /);
  assert.ok(program.pid > 0, 'beside a program that runs');
});

test('check-upgrade fails with the way for a store that this program cannot use', async () => {
  const dataDir = await temporaryDir();
  await restoreFixture(first.name, dataDir);
  const run = await commandsOn(dataDir);
  const cases: [version: number, RegExp][] = [
    [
      999,
      /^sandpost: .* is from a later version of Sandpost .*: use that version, or a different SANDPOST_\w+\n$/,
    ],
    [
      first.version - 1,
      /^sandpost: .* is from an earlier version .*: export it with that version, and import the archive .*\n$/,
    ],
  ];
  for (const [version, sentence] of cases) {
    await asEarlier(dataDir, ({ setVersion }) => setVersion(version));
    const { code, out, err } = await run('check-upgrade');
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, sentence);
  }
});
