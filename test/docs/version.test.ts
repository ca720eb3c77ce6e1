import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openApiDocument } from '#api/openapi.ts';
import { programVersion } from '#telemetry/program-version.ts';
import { runCommand } from '#test/support/program/command.ts';

/** Places that name the release's version, by file. */
const places: [file: string, place: RegExp][] = [
  ['package-lock.json', /^ {2}"version": "([^"]+)"/m],
  ['package-lock.json', /"": \{\s+"name": "sandpost",\s+"version": "([^"]+)"/],
  ['charts/sandpost/Chart.yaml', /^version: (\S+)$/m],
  ['charts/sandpost/Chart.yaml', /^appVersion: (\S+)$/m],
  ['charts/sandpost/Chart.yaml', /image: sandpost:(\S+)$/m],
  ['README.md', /^Version (\S+) /m],
  ['README.md', /docker build -t \S+\/sandpost:(\S+)/],
  ['README.md', /image: \S+\/sandpost:(\S+)$/m],
  ['README.md', /sandpost-client-(\S+)\.tgz/],
  ['docs/deployment.md', /docker build -t \S+\/sandpost:(\S+)/],
  ['charts/sandpost/README.md', /docker build -t \S+\/sandpost:(\S+)/],
  ['charts/sandpost/README.md', /targetRevision: v(\S+)/],
];

for (const [file, place] of places) {
  test(`${file} names the version of package.json at ${place.source}`, () => {
    assert.equal(place.exec(readFileSync(file, 'utf8'))?.[1], programVersion);
  });
}

test('the program and the document of its API say that version', async () => {
  assert.equal(openApiDocument([], 'http://localhost').info.version, programVersion);
  const { out } = await runCommand(['--version'], {});
  assert.equal(out, `sandpost ${programVersion}\n`);
});
