import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { before, test } from 'node:test';
import { makeProject, type Project, withoutRunners } from '#test/support/clients/runner-project.ts';
import type { Process } from '#test/support/program/process.ts';
import { devOfAll } from '#test/support/program/scene.ts';

let dev: Process;
let project: Project;
before(async () => {
  if (withoutRunners) return;
  dev = await devOfAll();
  project = await makeProject(dev);
});

/** Project test: an email to a new address, with another code and link, matches the golden file. */
const compares = (imports: string) => `${imports}
import { sandpost } from '@sandpost/client';
import { send } from './send.js';
test('is as it was', async () => {
  const inbox = await sandpost().inbox('golden');
  const code = String(100000 + Math.floor(Math.random() * 900000));
  await send(inbox.address, process.env.SUBJECT, 'Hello ' + inbox.address + ', your code is ' + code + '. Order ' + Date.now());
  const mail = await inbox.wait();
  await expect(mail).toMatchMail('welcome', { maskPatterns: [/Order [0-9]+/] });
  await expect(expect(mail).toMatchMail('../welcome')).rejects.toThrow(/the golden file name/);
});
`;

type Runner = {
  command: string;
  files: Record<string, string>;
  args: string[];
  env?: Record<string, string>;
  /** Arguments and variables that write nothing. */
  none: [args: string[], env: Record<string, string>];
  /** Arguments that write all files. */
  all: string[];
};

/** Test timeout in ms: the runners' defaults are short for a busy machine. */
const testTimeout = 60_000;

const runners: Runner[] = [
  {
    command: 'vitest',
    files: {
      'vitest.config.js': `export default { test: { setupFiles: ['@sandpost/client/vitest'], testTimeout: ${testTimeout} } };`,
      'golden.test.js': compares(`import { expect, test } from 'vitest';`),
    },
    args: ['run', 'golden.test'],
    none: [[], { CI: 'true' }],
    all: ['-u'],
  },
  {
    command: 'jest',
    files: {
      'jest.config.json': JSON.stringify({
        setupFilesAfterEnv: ['@sandpost/client/jest'],
        transform: {},
        testTimeout,
      }),
      'jest-golden.spec.js': compares(`import { expect, test } from '@jest/globals';`),
    },
    args: ['--config', 'jest.config.json', 'jest-golden'],
    env: { NODE_OPTIONS: '--experimental-vm-modules' },
    none: [['--ci'], {}],
    all: ['-u'],
  },
  {
    command: 'playwright',
    files: {
      'playwright.config.js': `export default { testMatch: 'page-golden.js', reporter: 'line', timeout: ${testTimeout} };`,
      'page-golden.js': compares(`import { expect, test } from '@sandpost/client/playwright';`),
    },
    args: ['test'],
    none: [['--update-snapshots=none'], {}],
    all: ['--update-snapshots=all'],
  },
];

for (const { command, files, args, env, none, all } of runners) {
  test(`a mail is compared with its golden file in ${command}`, { skip: withoutRunners }, async () => {
    for (const [name, text] of Object.entries(files)) await project.write(name, text);
    const golden = path.join(project.folder, 'mails/welcome.eml');
    await rm(golden, { force: true });
    const fails = async (reason: RegExp, SUBJECT: string, more: string[] = [], variables = {}) => {
      const run = await project.run(command, [...args, ...more], { ...env, ...variables, SUBJECT });
      assert.equal(run.code, 1, run.output);
      assert.match(run.output, reason);
    };
    const passes = async (SUBJECT: string, more: string[] = []) => {
      const { code, output } = await project.run(command, [...args, ...more], { ...env, SUBJECT });
      assert.equal(code, 0, output);
    };
    await fails(/the golden file .*mails\/welcome\.eml does not exist/, 'Welcome', ...none);
    assert.equal(existsSync(golden), false);
    await passes('Welcome');
    assert.equal(existsSync(golden), true);
    await passes('Welcome');
    await fails(
      /-subject: Welcome\n.*\+subject: Goodbye[\s\S]*Not compared: \d+ ids,.* 1 patterns/i,
      'Goodbye',
    );
    await passes('Goodbye', all);
    await fails(/-subject: Goodbye\n.*\+subject: Welcome/i, 'Welcome', ...none);
  });
}
