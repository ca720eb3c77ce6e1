import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { scene } from '#test/support/program/scene.ts';

const { program, user } = await scene();

test('the reference finds an operation by words, and its policy refuses nothing of it', async () => {
  await using at = await openPage(program, user, '/api/docs');
  const search = at.getByRole('searchbox', { name: 'Search operations' });
  const operations = at.locator('details.operation');
  await operations.first().waitFor();
  const all = await operations.count();
  await search.click();
  await search.pressSequentially('wait mailbox', { delay: 120 });
  assert.equal(await search.inputValue(), 'wait mailbox');
  const found = await operations.count();
  assert.ok(found > 0 && found < all / 4, `${found} of ${all}`);
  await search.fill('no such operation');
  await at.getByText('No operation contains all these words.').waitFor();
  assert.deepEqual(at.errors, []);
});

test('an address with an anchor opens its operation, with real examples', async () => {
  await using at = await openPage(program, user, '/api/docs#getMessage');
  const operation = at.locator('details.operation[open]');
  await operation.waitFor();
  assert.equal(await operation.getAttribute('id'), 'getMessage');
  await operation.getByText('"subject": "Welcome"').waitFor();
  await operation.getByText('"value": "493817"').waitFor();
  await at.getByRole('link', { name: 'Register a domain' }).click();
  await at.locator('#createDomain[open]').getByText('--json').waitFor();
});

test('an operation is sent with the session, or with the key that was given', async () => {
  await using at = await openPage(program, user, '/api/docs#listDomains');
  const form = at.getByRole('form', { name: 'Send listDomains' });
  await form.getByLabel('limit', { exact: true }).pressSequentially('1', { delay: 120 });
  await form.getByRole('button', { name: 'Send GET' }).click();
  await form.getByText(user.domain.domain).waitFor();
  await at.getByLabel('API key for').fill(`sp_${'x'.repeat(43)}`);
  await form.getByRole('button', { name: 'Send GET' }).click();
  await form.getByText('401 Unauthorized').waitFor();
});
