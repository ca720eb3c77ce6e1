import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { commandsOn } from '#test/support/program/command.ts';
import { onCluster, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';
import { asEarlier } from './earlier-program.ts';
import { restoreFixture } from './fixture.ts';
import { assertContains, pictureOf } from './picture.ts';

const settings = { SANDPOST_BASE_URL: 'http://sandpost.test' };
const first = onCluster ? { name: 'mongodb-6', version: 6 } : { name: 'sqlite-15', version: 15 };
const files = globSync(`${onCluster ? 'mongodb' : 'sqlite'}-*.json.gz`, {
  cwd: 'test/each-store/upgrade/fixtures',
});
const names = files.map((file) => file.replace('.json.gz', ''));

test('the fixture of the first version with migrations is there', () =>
  assert.ok(names.includes(first.name)));

for (const name of names) {
  test(`all of a store of ${name} is there after an upgrade, and it takes mail`, async () => {
    const dataDir = await temporaryDir();
    const { world, picture, shiftMs } = await restoreFixture(name, dataDir);
    await using program = await startProgram({ ...settings, SANDPOST_DATA_DIR: dataDir });
    const found = await pictureOf(program, world);
    assert.deepEqual(Object.keys(found), Object.keys(picture));
    for (const [place, answer] of Object.entries(picture))
      assertContains(found[place], answer, shiftMs, place);

    const api = new HttpClient(program, { 'x-api-key': world.key });
    const id = await deliverOne(program, {
      to: 'qa@app.test',
      subject: 'Later',
      text: 'Your code is 271828.',
    });
    const { items, pagination } = await ok(api.get('/api/messages?limit=200'));
    const before = picture['/api/messages?limit=200'].pagination.total;
    assert.deepEqual([items[0].id, items[0].code, pagination.total], [id, '271828', before + 1]);
    for (const { id, code, main_link } of items) {
      const whole = await ok(api.get(`/api/messages/${id}`));
      assert.deepEqual([code, main_link], [whole.code, whole.main_link]);
      assert.equal(code, whole.codes[0]?.value ?? null);
    }
    await until(() => asEarlier(dataDir, async ({ count }) => (await count()).unfilled === 0));
  });
}

test('a store that needs a newer program, or is older than what this one migrates, is refused', async () => {
  const dataDir = await temporaryDir();
  await restoreFixture(first.name, dataDir);
  const cases: [version: number, RegExp][] = [
    [
      999,
      /is from a later version of Sandpost \(the store is at version 999, .*: use that version, or a different SANDPOST/,
    ],
    [first.version - 1, /is from an earlier version .*: export it with that version, and import the archive/],
  ];
  const run = await commandsOn(dataDir);
  for (const [version, sentence] of cases) {
    await asEarlier(dataDir, ({ setVersion }) => setVersion(version));
    const { code, err } = await run('users list');
    assert.equal(code, 1);
    assert.match(err, sentence);
  }
});
