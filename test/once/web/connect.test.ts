import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

test('under sandpost dev, the page says that any address and any sign-in will do', async () => {
  const dev = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  try {
    const baseUrl = `http://localhost:${dev.ports.http}`;
    await using page = await openPage({ baseUrl }, null, '/manage/connect');
    const main = page.getByRole('main');
    await main
      .getByText('receives mail to any address, with or without a user name and password')
      .getByText('inbox@sandpost.test')
      .waitFor();
    await main.getByText('--mail-rcpt alice@gmail.com').waitFor();
    assert.equal(await main.getByRole('switch', { name: 'Capture' }).count(), 0);
    assert.deepEqual(await page.getByRole('group', { name: 'Sign-in' }).locator('label').allTextContents(), [
      'No sign-in',
      'With sign-in',
      'Provider API',
    ]);
    await page.getByText('With sign-in').click();
    await main.getByText('Any will do.').waitFor();
    await main.getByText('--user anybody:anything').waitFor();
    await page.getByText('Provider API').click();
    await main.getByText('Any text works as API_KEY.').waitFor();
    assert.doesNotMatch(
      (await main.textContent()) ?? '',
      /your (own )?addresses|capture account|one of your API keys/,
    );
    await page.goto('/manage/accounts');
    await main.getByText('inbox@sandpost.test', { exact: true }).click();
    await main.getByRole('switch', { name: 'Catch-all' }).waitFor();
    assert.equal(await main.getByRole('switch', { name: 'Capture' }).count(), 0);
    await page.getByRole('link', { name: 'Failures' }).click();
    await page.getByRole('button', { name: 'New failure' }).click();
    assert.equal(await page.getByLabel('For mail to').inputValue(), 'inbox+run1@sandpost.test');
    assert.deepEqual(page.errors, []);
  } finally {
    await dev.stop();
  }
});

test('elsewhere, the page tells which sign-in takes mail to whom', async () => {
  const program = await programOfAll();
  const user = await createUser(program);
  await using opened = await openPage(program, user, '/manage/connect');
  const main = opened.getByRole('main');
  await main.getByText('For applications that send to your own addresses.').waitFor();
  await main.getByText(`--mail-rcpt ${user.address}`).waitFor();
  await main.getByRole('switch', { name: 'Capture' }).waitFor();
});

test('the page shows a test in five languages, for the addresses of a catch-all', async () => {
  const program = await programOfAll();
  const user = await createUser(program);
  const address = `*@${user.address.split('@')[1]}`;
  await ok(user.api.post('/api/accounts', { address }));
  await using opened = await openPage(program, user, '/manage/connect');
  const main = opened.getByRole('main');
  const lines = main.getByRole('region', { name: 'In a test' });
  await lines.getByText('This needs an account that receives mail for any address').waitFor();
  await main.getByRole('combobox', { name: 'Account', exact: true }).selectOption(address);
  await lines.getByText(`export SANDPOST_DOMAIN=${address.slice(2)}`).waitFor();
  const words = {
    Playwright: 'inbox.wait({',
    pytest: 'inbox.wait(s',
    JUnit: 'waitFor',
    Go: '.Wait(',
    Shell: 'sandpost code',
  };
  for (const [name, word] of Object.entries(words)) {
    await lines.getByText(name, { exact: true }).click();
    await lines.getByText(word).waitFor();
  }
  assert.deepEqual(opened.errors, []);
});
