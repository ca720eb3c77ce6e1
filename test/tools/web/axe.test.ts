import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { createSharedTeam } from '#test/once/web/support/shared-team.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { deliver, transmit } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { share } from '#test/support/program/shares.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const { program, user } = await scene();
await ok(user.api.post('/api/domains', { domain: `pending.${user.domain.domain}` }));
const team = await createSharedTeam(program, user);
await team.join(await createUser(program), 'viewer');
await ok(user.api.post('/api/rules', { name: 'Receipts', q: 'subject:receipt', tags: ['money'] }));
await ok(user.api.post('/api/searches', { name: 'Codes', q: 'has:code' }));
await ok(user.api.patch(`/api/accounts/${user.account.id}`, { simulates_failures: true }));
await ok(user.api.post('/api/failures', { match: { address: user.address }, reply: '451 Later', times: 1 }));
for (const to of [user.address, `nobody@${user.domain.domain}`])
  await assert.rejects(transmit(program, { to }));
const to = user.address;
await deliver(program, { to, subject: 'Read', text: 'Plain' });
const html =
  '<h1>Hello</h1><p>Your code is <b>493817</b>. <a href="https://app.example/verify">Verify</a></p><img src="http://127.0.0.1:1/a.png" alt="A">';
const attachments = [
  { filename: 'a.txt', content: 'text' },
  { filename: 'b.png', content: Buffer.from('89504e470d0a1a0a', 'hex') },
];
const [message = 0] = await deliver(program, {
  to,
  subject: 'Your code',
  text: 'Code 493817',
  html,
  attachments,
});
const shared = await share(user.api, { message_id: message });
const sharedAccount = await share(user.api, { account_id: user.account.id });

/**
 * Returns axe's findings on the page, one line each: scheme, rule, description, place. A dark page differs only in its colors, so only
 * their contrast is checked again.
 */
async function findings(page: Page): Promise<string[]> {
  const light = await judged(page, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await judged(page, { runOnly: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light.map((line) => `light: ${line}`), ...dark.map((line) => `dark: ${line}`)];
}

async function judged(page: Page, rules: { runOnly?: string[] }): Promise<string[]> {
  await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const violations = await page.evaluate<
    { id: string; help: string; nodes: { html: string; target: string[] }[] }[]
  >(
    // Excludes the HTML of emails, which others wrote.
    `axe.run({ exclude: ['iframe'] }, ${options}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, target }) => `${id} (${help}) at ${target.join(' ')}: ${html.slice(0, 200)}`),
  );
}

type View = { name: string; path: string; stranger?: true; ready(page: Page): Promise<unknown> };

const heading = (name: string) => (page: Page) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const cards = async (page: Page) => {
  await page.locator('.cards > li').first().waitFor();
  for (const summary of await page.locator('.card > summary').all()) await summary.click();
};

const views: View[] = [
  { name: 'sign-in', path: '/', stranger: true, ready: heading('Sandpost') },
  {
    name: 'registering, refused',
    path: '/',
    stranger: true,
    async ready(page) {
      await page.getByText('Register').click();
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByRole('alert').first().waitFor();
    },
  },
  { name: 'domains, opened', path: '/manage/domains', ready: cards },
  { name: 'accounts, opened', path: '/manage/accounts', ready: cards },
  ...['Delete ', 'Move to another team: '].map((action) => ({
    name: `a dialog to ${action.split(/[ :]/)[0]?.toLowerCase()}`,
    path: '/manage/domains',
    async ready(page: Page) {
      await cards(page);
      await button(page, action + user.domain.domain).click();
      await page.getByRole('dialog').waitFor();
    },
  })),
  {
    name: 'images that were not loaded, beside the text',
    path: '/mail/all',
    async ready(page) {
      await page.setViewportSize({ width: 1024, height: 768 });
      await page.getByText('Your code').first().click();
      await button(page, 'Load 1 image').click();
      await page.getByText('1 image from 127.0.0.1:1 could not be loaded').waitFor();
      await page.getByRole('radio', { name: 'With text' }).check({ force: true });
      await page.getByRole('region', { name: 'Text' }).waitFor();
    },
  },
  ...['markup-1-p', 'structure', 'transcript', 'codes'].map((part) => ({
    name: `a message at ${part}`,
    path: `/mail/all/${message}/${part}`,
    ready: (page: Page) => page.locator('.markup, .structure, .transcript, dialog[open]').first().waitFor(),
  })),
  {
    name: 'the checks of a message',
    path: `/mail/all/${message}/checks`,
    async ready(page) {
      await page.getByText('Would it pass in production?').click();
      await page.getByText(/clients show everything/).waitFor();
    },
  },
  { name: 'an address that does not exist', path: '/mial', ready: heading('Sandpost') },
  {
    name: 'a new key and its curl line',
    path: '/manage/keys',
    async ready(page) {
      const press = (name: string) => page.getByRole('button', { name }).click();
      for (const name of ['New API key', 'Create key']) await press(name);
      await page.getByText(/^sp_[\w-]{43}$/).waitFor();
      await press('New API key');
      await page.getByLabel('curl: Create key').click();
    },
  },
  {
    name: 'composing',
    path: '/manage/compose',
    ready: (page) => page.getByText('Cc, Bcc, Reply-To').click(),
  },
  { name: 'connect', path: '/manage/connect', ready: (page) => page.getByRole('figure').first().waitFor() },
  {
    name: 'the team, with a new invitation',
    path: '/manage/team',
    async ready(page) {
      await page.goto(`/team/${team.id}/manage/team`);
      for (const name of ['New invitation', 'Create invitation'])
        await page.getByRole('button', { name }).click();
      await page.getByRole('status', { name: 'New invitation' }).waitFor();
      await page
        .getByRole('combobox', { name: /^Role of / })
        .first()
        .selectOption('viewer');
    },
  },
  {
    name: 'the menu of teams',
    path: '/mail/all',
    async ready(page) {
      await page.getByRole('button', { name: 'Team: Personal' }).click();
      await page.getByRole('navigation', { name: 'Teams' }).waitFor();
    },
  },
  {
    name: 'rules, opened, and the form of one',
    path: '/manage/rules',
    async ready(page) {
      await cards(page);
      await page.getByRole('button', { name: 'Change Receipts' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'failures, opened, and the form of one',
    path: '/manage/failures',
    async ready(page) {
      await cards(page);
      await page.getByRole('button', { name: 'New failure' }).click();
      await page.getByRole('dialog').getByText('More settings').click();
    },
  },
  {
    name: 'what was refused, with its dialogue',
    path: '/mail/refused',
    async ready(page) {
      await page.getByText(/^550 5\.1\.1/).waitFor();
      await page.getByText('Details').first().click();
      await page.getByRole('list', { name: 'Transcript' }).waitFor();
    },
  },
  {
    name: 'a search in parts, with what completes it',
    path: '/mail/all?q=code%20from%3Atest',
    async ready(page) {
      await page.getByRole('list', { name: 'Parts of the search' }).waitFor();
      await page.getByRole('combobox', { name: 'Search' }).press('ArrowDown');
      await page.getByRole('listbox', { name: 'Completions' }).waitFor();
    },
  },
  { name: 'the audit log', path: '/manage/audit', ready: (page) => page.getByRole('table').waitFor() },
  {
    name: 'an invitation, signed in',
    path: '/',
    async ready(page) {
      await page.goto(new URL(await team.invite('viewer')).pathname);
      await page.getByRole('button', { name: 'Join Checkout' }).waitFor();
    },
  },
  {
    name: 'an invitation to a stranger',
    path: '/',
    stranger: true,
    async ready(page) {
      await page.goto(new URL(await team.invite('member')).pathname);
      await page.getByRole('heading', { name: "You're invited to join Checkout" }).waitFor();
    },
  },
  {
    name: 'a message that is shared, with its new link',
    path: `/mail/all/${message}`,
    async ready(page) {
      await page.getByRole('button', { name: 'Share this message' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Copy the link' }).waitFor();
    },
  },
  {
    name: 'the share links',
    path: '/manage/shares',
    ready: (page) => page.locator('.entry button').first().waitFor(),
  },
  { name: 'the page of a link to a message', path: shared.path, stranger: true, ready: heading('Your code') },
  { name: 'the page of a link to an account', path: sharedAccount.path, stranger: true, ready: heading(to) },
  { name: 'a team that is gone', path: '/team/999999/mail/all', ready: heading('Sandpost') },
  {
    name: 'the reference of the API, with an operation opened',
    path: '/api/docs#getMessage',
    ready: (page) => page.locator('details.operation[open]').getByText('"subject"').waitFor(),
  },
  { name: 'you', path: '/manage/you', ready: heading('You') },
  {
    name: 'the keys',
    path: '/mail/all',
    async ready(page) {
      await page.getByText('Your code').first().waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'the list', path: '/mail/all', ready: (page) => page.getByText('Your code').first().waitFor() },
];

for (const { name, path, stranger, ready } of views) {
  test(`axe finds nothing: ${name}`, async () => {
    await using at = await openPage(program, stranger ? null : user, path);
    await ready(at);
    assert.deepEqual(await findings(at), []);
  });
}

test('axe finds nothing: a message on each tab', async () => {
  await using at = await openPage(program, user, `/mail/${user.account.id}/${user.inbox}/${message}`);
  const tabs = at.getByRole('tab');
  await tabs.first().waitFor();
  const found: string[] = [];
  for (const tab of await tabs.all()) {
    await tab.click();
    await at.getByRole('tabpanel').first().waitFor();
    const name = await tab.textContent();
    found.push(...(await findings(at)).map((finding) => `${name}: ${finding}`));
  }
  assert.deepEqual(found, []);
});

test('axe finds nothing: the empty state', async () => {
  const other = await createUser(program);
  await ok(other.api.delete(`/api/domains/${other.domain.id}`));
  await using at = await openPage(program, other, '/');
  await at.getByRole('heading', { name: 'Where should mail go?' }).waitFor();
  assert.deepEqual(await findings(at), []);
});

test('axe finds nothing: a narrow screen', async () => {
  const viewport = { width: 390, height: 800 };
  await using at = await openPage(program, user, '/mail/all', { viewport });
  await at.getByText('Your code').first().waitFor();
  assert.deepEqual(await findings(at), []);
  await at.goto('/manage/accounts');
  await cards(at);
  assert.deepEqual(await findings(at), []);
});
