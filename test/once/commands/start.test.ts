import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { withoutOverride } from '#test/support/program/command.ts';
import { type Program, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { programOfAll } from '#test/support/program/scene.ts';

const freePorts = { SANDPOST_HTTP_PORT: '0', SANDPOST_SMTP_PORT: '0', SANDPOST_OPS_PORT: '0' };

const program = await programOfAll();

/** Starts the program where it cannot run. Returns its exit code and standard error. */
function refuse(env: Record<string, string>, args: string[] = [], wrapper: string[] = []) {
  const [command = '', ...before] = [...wrapper, 'bin/sandpost', 'start'];
  const { status, stderr } = spawnSync(command, [...before, ...args], {
    env: { PATH: process.env.PATH, ...freePorts, ...env },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, lines: stderr.trimEnd().split('\n') };
}

/** Wrong settings or options, and the name that the error's single line must contain. */
const wrong: [string, Record<string, string>, string[], RegExp][] = [
  [
    'a variable that is no setting',
    { SANDPOST_REGISTRATON: 'closed' },
    [],
    /SANDPOST_REGISTRATON.*SANDPOST_REGISTRATION\?\)$/,
  ],
  [
    'a service link of Kubernetes',
    { SANDPOST_SMTP_PORT: 'tcp://10.0.0.1:25' },
    [],
    /SANDPOST_SMTP_PORT is the service link .* sandpost-smtp/,
  ],
  ['a port that is none', { SANDPOST_SMTP_PORT: 'smtp' }, [], /SANDPOST_SMTP_PORT/],
  ['an option out of range', {}, ['--retention-days', '91'], /--retention-days/],
  [
    'an option that does not exist',
    {},
    ['--retention', '9'],
    /--retention \(did you mean --retention-days\?\)/,
  ],
  ['one half of the cluster store', { SANDPOST_MONGODB_URI: 'mongodb://db' }, [], /SANDPOST_REDIS_URL/],
  ['a network that is none', { SANDPOST_TRUSTED_PROXIES: '10.0.0.0/8,lan' }, [], /SANDPOST_TRUSTED_PROXIES/],
  [
    'a secret in a file that is not there',
    { SANDPOST_BOOTSTRAP_PASSWORD_FILE: '/nowhere' },
    [],
    /_PASSWORD_FILE/,
  ],
  [
    'a bootstrap user without a password',
    { SANDPOST_BOOTSTRAP_EMAIL: 'a@b.test' },
    [],
    /_BOOTSTRAP_PASSWORD/,
  ],
];

for (const [name, env, args, named] of wrong) {
  test(`${name} stops the start with one line that names it`, () => {
    const { status, lines } = refuse(env, args);
    assert.equal(status, 2);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0] ?? '', named);
  });
}

for (const folder of ['/proc/x', '/proc/x/y', '/dev/null', '/dev/null/x', '/proc']) {
  test(`the data folder ${folder} is refused at once, by its name and the setting's`, () => {
    const { status, lines } = refuse({ SANDPOST_DATA_DIR: folder });
    assert.equal(status, 1);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.ok(lines[0]?.includes(` ${folder} (SANDPOST_DATA_DIR)`), lines[0]);
  });
}

/** Read-only parts of a data folder. `folder` is the folder itself. */
for (const part of ['folder', 'sandpost.db']) {
  test(`a data folder whose ${part} is read-only is called one`, async (t) => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-read-only-'));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    const file = path.join(dataDir, 'sandpost.db');
    writeFileSync(file, '');
    chmodSync(part === 'folder' ? dataDir : file, part === 'folder' ? 0o500 : 0o400);
    const { status, lines } = refuse({ SANDPOST_DATA_DIR: dataDir }, [], withoutOverride);
    assert.equal(status, 1);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.ok(lines[0]?.includes(`the data directory ${dataDir} (SANDPOST_DATA_DIR)`), lines[0]);
    assert.match(lines[0] ?? '', /read-only for this user$/);
  });
}

test('the line that refuses a secret does not contain it', () => {
  const { lines } = refuse({ SANDPOST_BOOTSTRAP_API_KEY: 'sp_too-short' });
  assert.doesNotMatch(lines.join('\n'), /too-short/);
});

test('a port that the system chose is that of the address to open, unless a base URL is set', async () => {
  const opened = ({ log }: Program) => log.find(({ what }) => what === 'http')?.msg;
  assert.equal(opened(program), `open http://localhost:${program.httpPort}`);
  await using named = await startProgram({ SANDPOST_BASE_URL: 'https://mail.test' });
  assert.equal(opened(named), 'open https://mail.test');
});

test('a port that is in use is named', async () => {
  const { status, lines } = refuse({
    SANDPOST_DATA_DIR: await temporaryDir(),
    SANDPOST_HTTP_PORT: `${program.httpPort}`,
  });
  assert.equal(status, 1);
  assert.match(lines.join('\n'), /^sandpost: SANDPOST_HTTP_PORT: cannot listen on 127\.0\.0\.1:\d+/);
});

test('a second process on the same data folder refuses to start', async () => {
  const { status, lines } = refuse({ SANDPOST_DATA_DIR: program.dataDir });
  assert.equal(status, 1);
  assert.equal(lines.length, 1, lines.join('\n'));
  assert.ok(lines[0]?.includes(program.dataDir), lines[0]);
});

/** Foreign files in place of the database. */
const foreign: [string, (file: string) => void][] = [
  ['noise', (file) => writeFileSync(file, randomBytes(10_000))],
  [
    'another program’s SQLite file',
    (file) => new DatabaseSync(file).exec('CREATE TABLE theirs (id INTEGER)'),
  ],
  [
    'a newer version’s file',
    (file) => new DatabaseSync(file).exec('PRAGMA application_id = 0x53505354; PRAGMA user_version = 999'),
  ],
];

for (const [name, make] of foreign) {
  test(`${name} in the data folder stops the start and is left untouched`, async () => {
    const dataDir = await temporaryDir();
    const file = path.join(dataDir, 'sandpost.db');
    make(file);
    const before = readFileSync(file);
    const { status, lines } = refuse({ SANDPOST_DATA_DIR: dataDir });
    assert.equal(status, 1);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.ok(lines[0]?.includes(file), lines[0]);
    assert.deepEqual(readFileSync(file), before);
  });
}
