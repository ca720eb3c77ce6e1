import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { programVersion } from '#telemetry/program-version.ts';
import { pythonClients, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { runCommand } from '#test/support/program/command.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { freePort } from '#test/support/runner/free-port.ts';

/** Address at which no registry answers. */
const switchedOff = 'http://127.0.0.1:9/';

const port = String(await freePort());
const program = await forAllTests(
  startProgram({ SANDPOST_HTTP_PORT: port, SANDPOST_BASE_URL: `http://127.0.0.1:${port}` }),
);
const folder: string = await temporaryDir();
assert.equal((await runCommand(['clients', folder], {})).code, 0);

/** Runs a program without this machine's settings. */
async function run(command: string, args: string[], cwd: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    PIP_CONFIG_FILE: '/dev/null',
    npm_config_cache: `${cwd}/cache`,
  };
  return (await promisify(execFile)(command, args, { cwd, env })).stdout.trim();
}

async function npmInstall(what: string, registry: string): Promise<{ version: string; lock: string }> {
  const project = await temporaryDir();
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(path.join(project, '.npmrc'), `registry=${switchedOff}\n@sandpost:registry=${registry}\n`);
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-update-notifier', what], project);
  const script = `import { sandpost } from '@sandpost/client'; console.log(typeof sandpost().inbox)`;
  await writeFile(path.join(project, 'uses.js'), script);
  assert.equal(await run('node', ['uses.js'], project), 'function');
  const about = await readFile(path.join(project, 'node_modules/@sandpost/client/package.json'), 'utf8');
  const lock = await readFile(path.join(project, 'package-lock.json'), 'utf8');
  return { version: JSON.parse(about).version, lock };
}

test('npm installs the file without a registry, and the lock names no host', async () => {
  const file = path.join(folder, `sandpost-client-${programVersion}.tgz`);
  const { version, lock } = await npmInstall(file, switchedOff);
  assert.equal(version, programVersion);
  assert.doesNotMatch(lock, /http/);
  assert.match(lock, /"integrity": "sha512-/);
});

test('npm installs from the server as from a registry, and from an address', async () => {
  const { baseUrl } = program;
  const asked = ['@sandpost/client', `${baseUrl}/clients/sandpost-client-${programVersion}.tgz`];
  for (const what of asked) {
    const { version } = await npmInstall(what, `${baseUrl}/clients/npm/`);
    assert.equal(version, programVersion);
  }
  await assert.rejects(npmInstall('@sandpost/client@9.9.9', `${baseUrl}/clients/npm/`), /ETARGET|notarget/);
});

async function pipInstall(args: string[]): Promise<string> {
  const cwd = await temporaryDir();
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', cwd, ...args];
  await run(pythonClients, pip, cwd);
  const script = `import sys; sys.path.insert(0, ${JSON.stringify(cwd)}); import sandpost, importlib.metadata as m
print(sandpost.VERSION, m.version("sandpost"), [e.name for e in m.entry_points(group="pytest11") if e.name == "sandpost"])`;
  return run(pythonClients, ['-c', script], cwd);
}

const installed = `${programVersion} ${programVersion} ['sandpost']`;

test('pip installs the file without a registry, with the plug-in of pytest', {
  skip: withoutPythonClients,
}, async () => {
  const file = path.join(folder, `sandpost-${programVersion}-py3-none-any.whl`);
  assert.equal(await pipInstall(['--no-index', file]), installed);
});

test('pip installs from the server as from an index, and checks the sum', {
  skip: withoutPythonClients,
}, async () => {
  const index = `${program.baseUrl}/clients/python/`;
  assert.equal(await pipInstall(['--index-url', index, 'sandpost']), installed);
  await assert.rejects(pipInstall(['--index-url', index, 'sandpost==9.9.9']), /No matching distribution/);
});
