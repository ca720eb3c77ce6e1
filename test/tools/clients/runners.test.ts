import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { toCommonJs } from '#clients/pack/to-commonjs.ts';
import { withoutChromium } from '#test/once/web/support/browser.ts';
import {
  inBrowser,
  makeProject,
  type Project,
  sender,
  withoutRunners,
} from '#test/support/clients/runner-project.ts';
import type { Process } from '#test/support/program/process.ts';
import { devOfAll } from '#test/support/program/scene.ts';

const skip = withoutRunners;

let dev: Process;
let project: Project;
before(async () => {
  if (skip) return;
  dev = await devOfAll();
  project = await makeProject(dev);
});

/** Project test with the matchers. `begin` contains its imports. */
const matchers = (begin: string) => `${begin}
import { sandpost } from '@sandpost/client';
import { send } from './send.js';
test('signs up', async () => {
  const inbox = await sandpost().inbox('signup');
  await send(inbox.address, 'Welcome');
  const mail = await inbox.wait({ subject: 'Welcome' });
  expect(mail.code()).toBe('493817');
  expect(mail).toHaveCode();
  expect(mail).toHaveCode('493817');
  expect(mail).not.toHaveCode('000000');
  expect(mail).toHaveLink('verify');
  expect(mail).toHaveLink(/[?]t=/);
  expect(mail).not.toHaveLink('reset');
  expect(mail).not.toPassDmarc();
  expect(() => expect(mail).toHaveLink('reset')).toThrow(/should have a link "reset"; it has:\\n {2}verify https/);
  expect(() => expect(mail).toPassDmarc()).toThrow(/should pass DMARC; it has:\\n {2}dmarc /);
  const records = {
    'example.com': { TXT: ['v=spf1 ip4:203.0.113.7 -all'] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
  };
  await expect(mail).toPassDmarc({ clientIp: '203.0.113.7', records });
  await expect(mail).not.toPassDmarc({ clientIp: '198.51.100.1', records });
}, 30_000);
`;

test('Vitest has the matchers by a set-up file', { skip }, async () => {
  await project.write(
    'vitest.config.js',
    `export default { test: { setupFiles: ['@sandpost/client/vitest'] } };`,
  );
  await project.write('signs-up.test.js', matchers(`import { expect, test } from 'vitest';`));
  const { code, output } = await project.run('vitest', ['run', 'signs-up']);
  assert.equal(code, 0, output);
});

const asModules = { NODE_OPTIONS: '--experimental-vm-modules' };

test('Jest has the matchers by a set-up file, with tests of both kinds of modules', { skip }, async () => {
  const config = { setupFilesAfterEnv: ['@sandpost/client/jest'], transform: {} };
  await project.write('jest.config.json', JSON.stringify(config));
  await project.write('modules.spec.js', matchers(`import { expect, test } from '@jest/globals';`));
  await project.write('commonjs/package.json', '{}');
  await project.write('commonjs/send.cjs', toCommonJs(sender));
  await project.write('commonjs/requires.spec.js', toCommonJs(matchers('')));
  for (const [file, env] of [
    ['modules.spec', asModules],
    ['requires.spec', {}],
  ] as const) {
    const { code, output } = await project.run('jest', ['--config', 'jest.config.json', file], env);
    assert.equal(code, 0, output);
  }
});

const readsInPage = `
import { expect, test } from '@sandpost/client/playwright';
import { send } from './send.js';
test('reads a mail in a page', async ({ page, inbox, inboxes }) => {
  expect(inbox.address).toMatch(/^reads-a-mail-in-a-page-/);
  await send(inbox.address, 'Welcome');
  const mail = await inbox.wait({ subject: 'Welcome' });
  await page.setContent(mail.text());
  await expect(page.getByText('493817')).toBeVisible();
  expect(mail).toHaveLink('verify');
  expect(mail).not.toHaveLink('reset');
  await (await inboxes('other')).none({ within: 0 });
});
test('fails, and shows the mail', async ({ inbox }) => {
  test.setTimeout(3000);
  await send(inbox.address, 'Receipt');
  await inbox.wait({ subject: 'Welcome' }, { within: 4 });
});
test('fails without mail, and shows what came instead', async ({ inbox }) => {
  await send(inbox.address.replace('@', '+tag@'), 'Elsewhere');
  expect('the page').toBe('another one');
});
`;

test('Playwright has an address a test, time for its waits, and the mails of a test that fails', {
  skip: skip || withoutChromium,
}, async () => {
  const config = { testMatch: 'in-browser.spec.js', reporter: 'json', use: inBrowser };
  await project.write('playwright.config.js', `export default ${JSON.stringify(config)};`);
  await project.write('in-browser.spec.js', readsInPage);
  const { code, output } = await project.run('playwright', ['test']);
  assert.equal(code, 1, output);
  const [passed, failed, alone] = JSON.parse(output).suites[0].specs;
  assert.equal(passed.ok, true, output);
  const { errors, attachments } = failed.tests[0].results[0];
  assert.match(
    errors[0].message,
    /No mail to fails-\S+ with subject "Welcome" arrived within 4 s\. Arrived instead:\n {2}email/,
  );
  const names = attachments.map(({ name }: { name: string }) => name.replace(/ \(\d+\)/, ''));
  // Playwright adds its own attachment.
  assert.deepEqual(names.slice(0, 2), ['Receipt.eml', 'Receipt.txt']);
  const source = await readFile(attachments[0].path).catch(() => Buffer.from(attachments[0].body, 'base64'));
  assert.match(source.toString(), /^Subject: Receipt\r$/m);
  const [instead] = alone.tests[0].results[0].attachments;
  assert.match(instead.name, /^no mail to fails-without-mail-/);
  const told = Buffer.from(instead.body ?? '', 'base64').toString();
  assert.match(
    told,
    /Arrived instead:\n {2}email \d+ "Elsewhere" to fails-\S+\+tag@\S+ \(differs in address\)/,
  );
});

const inModule = `
import { type Mail, sandpost } from '@sandpost/client';
import { expect as expectInBrowser, test as testInBrowser } from '@sandpost/client/playwright';
import { expect, test } from 'vitest';
import '@sandpost/client/vitest';
test('types', async () => {
  const inbox = await sandpost({ url: 'http://localhost' }).inbox();
  const mail: Mail = await inbox.wait({ subject: /x/ }, { within: 3 });
  const result: 'pass' | 'fail' | string = mail.fields.dmarc.result;
  const bytes: Uint8Array = await mail.attachment(result);
  // @ts-expect-error: there is no such kind
  mail.link('verfy');
  // @ts-expect-error: there is no such condition
  await inbox.wait({ subjct: bytes });
  // @ts-expect-error: a code is no number
  expect(mail).toHaveCode(1);
  expect(mail).not.toHaveLink('verify');
  await expect(mail).toMatchMail('welcome', { mask: ['ids'], maskPatterns: [/a/, 'b'] });
});
testInBrowser('types', async ({ page, inbox, inboxes }) => {
  const mail = await inbox.wait();
  expectInBrowser(mail).toHaveLink(/verify/);
  await expectInBrowser(await (await inboxes()).wait()).toMatchMail('welcome');
  await expectInBrowser(page).toHaveURL(mail.link());
  // @ts-expect-error: a code is no number
  expectInBrowser(mail).toHaveCode(1);
});
`;
const inCommonJs = `
import { expect, test } from '@jest/globals';
import { type Mail, sandpost } from '@sandpost/client';
import '@sandpost/client/jest';
test('types', async () => {
  const mail: Mail = await (await sandpost().inbox()).wait();
  expect(mail).not.toPassDmarc();
  await expect(mail).toPassDmarc({ clientIp: '203.0.113.7', records: { 'a.test': { TXT: ['v=spf1 -all'] } } });
  await expect(mail).toMatchMail('welcome');
  // @ts-expect-error: a code is no number
  expect(mail).toHaveCode(1);
});
`;

test('TypeScript knows the words, matchers and fixtures, in both kinds of modules', { skip }, async () => {
  await project.write('types.ts', inModule);
  await project.write('types.cts', inCommonJs);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  const libraries = ['--target', 'es2024', '--lib', 'es2024,dom,esnext.disposable'];
  const { code, output } = await project.run('tsc', [...options, ...libraries, 'types.ts', 'types.cts']);
  assert.equal(code, 0, output);
});
