import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { settings, variableOf } from '#core/settings.ts';
import { startProgram } from '#test/support/program/program.ts';

const readme = readFileSync('README.md', 'utf8');
const firstMail = [...readme.matchAll(/```sh first-mail\n([\s\S]*?)```/g)].map(([, lines]) => lines).join('');

const has = (tool: string) => {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const missing = ['swaks', 'curl'].filter((tool) => !has(tool));

test('the lines of "A first mail" do what they say', {
  skip: missing.length > 0 && `test/setup.sh installs what is missing here: ${missing.join(', ')}`,
}, async () => {
  await using program = await startProgram();
  const lines = firstMail
    .replaceAll('http://localhost:8080', program.baseUrl)
    .replaceAll('localhost:2525', `127.0.0.1:${program.smtpPort}`);
  const cwd = mkdtempSync(path.join(tmpdir(), 'sandpost-readme-'));
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], { cwd });
  // curl prints JSON texts without separators.
  const message = JSON.parse(stdout.slice(stdout.lastIndexOf('}{') + 1));
  assert.equal(message.subject, 'Welcome');
  assert.deepEqual(message.codes[0].value, '493817');
  assert.equal(message.delivered_to, 'qa@app.test');
});

test('the README has every setting with its default', () => {
  for (const setting of settings)
    assert.ok(readme.includes(`\`${variableOf(setting)}\``), variableOf(setting));
});
