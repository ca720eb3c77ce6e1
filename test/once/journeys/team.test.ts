import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { inPage, openContext } from '#test/once/web/support/browser.ts';
import { liveRow, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

/** Registers a person on the sign-in form that the page shows. */
async function register(page: Page, email: string): Promise<void> {
  await page.getByRole('group', { name: 'Account' }).getByText('Register').click();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Register' }).click();
}

/** Creates an invitation on a team's page, and returns the displayed address. */
async function invite(page: Page, role: string): Promise<string> {
  await page.getByRole('button', { name: 'New invitation' }).click();
  await page.getByLabel('Role', { exact: true }).selectOption(role);
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const shown = page.getByRole('status', { name: 'New invitation' });
  return (await shown.getByText(/\/invitations\/[\w-]{43}$/).textContent()) ?? '';
}

/** Registers a person by an invitation in a separate context, up to the team's mail. */
async function comeBy(context: BrowserContext, url: string, email: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(new URL(url).pathname);
  await page.getByRole('heading', { name: "You're invited to join Checkout" }).waitFor();
  await register(page, email);
  await page.getByRole('button', { name: 'Join Checkout' }).click();
  await page.waitForURL(/\/team\/\d+\/mail\/all$/);
  await page.locator('.connection.open').waitFor();
  return page;
}

test(
  'two people share a team: one invites the other, both see mail arrive, one is removed and loses it',
  inPage,
  async (t) => {
    const options = { baseURL: program.baseUrl };
    await using adas = await openContext(options);
    await using bens = await openContext(options);
    await using cleos = await openContext(options);

    const ada = await adas.newPage();
    await ada.goto('/');
    await register(ada, 'ada@example.com');
    await ada.getByRole('heading', { name: 'Where should mail go?' }).waitFor();
    await ada.getByRole('link', { name: 'all settings' }).click();
    await ada.getByRole('link', { name: 'Team', exact: true }).click();
    await ada.getByRole('button', { name: 'New team' }).click();
    await ada.getByRole('textbox', { name: 'Name' }).fill('Checkout');
    await ada.getByRole('button', { name: 'Create team' }).click();
    await ada.waitForURL(/\/team\/\d+\/manage\/team$/);
    const settings = ada.url();
    const address = 'qa@checkout.test';
    await ada.getByRole('link', { name: 'Mail' }).click();
    await ada.getByRole('button', { name: `Create ${address}` }).click();
    await ada.getByRole('heading', { name: 'Connect an application' }).waitFor();
    await ada.getByRole('link', { name: 'Team', exact: true }).click();
    const forBen = await invite(ada, 'member');
    await ada.reload();
    const forCleo = await invite(ada, 'viewer');

    const ben = await comeBy(bens, forBen, 'ben@example.com');
    const cleo = await comeBy(cleos, forCleo, 'cleo@example.com');
    await ada.getByRole('link', { name: 'Mail' }).click();
    await ada.locator('.connection.open').waitFor();
    await deliverOne(program, { to: address, subject: 'Order 1' });
    for (const page of [ada, ben, cleo]) await rowOf(page, 'Order 1').waitFor();

    // A member writes, and all see it.
    await ben.locator('.list').focus();
    await ben.keyboard.press('f');
    for (const page of [ada, cleo]) await page.locator('.row-flag').waitFor();

    // A viewer reads, and sees no actions that change anything.
    const refused: string[] = [];
    cleo.on('request', (request) => {
      if (request.method() !== 'GET') refused.push(`${request.method()} ${request.url()}`);
    });
    await rowOf(cleo, 'Order 1').click();
    await cleo.getByRole('heading', { name: 'Order 1' }).waitFor();
    const tools = cleo.getByRole('toolbar', { name: 'Actions' }).getByRole('button');
    assert.deepEqual(await tools.evaluateAll((all) => all.map((tool) => tool.ariaLabel)), [
      'Download',
      'Copy as assertion',
    ]);
    assert.equal(await cleo.getByRole('link', { name: 'Write an email' }).count(), 0);
    for (const key of ['u', 'f', 'e', 'm', 't']) await cleo.keyboard.press(key);
    assert.equal(await cleo.getByRole('dialog').count(), 0);
    await cleo.keyboard.press('?');
    await cleo.getByRole('dialog').getByText('Next message').waitFor();
    assert.equal(await cleo.getByRole('dialog').getByText('Mark as unread').count(), 0);
    await cleo.keyboard.press('Escape');
    // Ben opening it marks it as read, unlike Cleo, although she opened it first.
    await cleo.locator('.row.unread').waitFor();
    await rowOf(ben, 'Order 1').click();
    await cleo.locator('.row:not(.unread)').waitFor();
    assert.deepEqual(refused, []);

    // Two tabs of one person show two teams.
    const own = await bens.newPage();
    await own.goto('/');
    await own.getByLabel('Account').fill('ben');
    await own.getByLabel('Domain').fill('ben.test');
    await own.getByRole('button', { name: 'Create ben@ben.test' }).click();
    await own.getByRole('link', { name: 'Mail' }).click();
    await own.locator('.connection.open').waitFor();
    await deliverOne(program, { to: 'ben@ben.test', subject: 'For Ben alone' });
    await deliverOne(program, { to: address, subject: 'Order 2' });
    await Promise.all([rowOf(own, 'For Ben alone').waitFor(), rowOf(ben, 'Order 2').waitFor()]);
    assert.deepEqual(await subjects(own), ['For Ben alone']);
    assert.deepEqual(await subjects(ben), ['Order 2', 'Order 1']);

    // Ben is removed. His tab of the team empties by itself, and his own stays.
    await ada.goto(settings);
    await ada.getByRole('button', { name: 'Remove ben@example.com' }).click();
    const gone = ben.getByRole('heading', { name: "You're not in this team" }).waitFor();
    const began = performance.now();
    await ada.getByRole('dialog').getByRole('button', { name: 'Remove from the team' }).click();
    await gone;
    const ms = Math.round(performance.now() - began);
    t.diagnostic(`lost the mail ${ms} ms after the click`);
    assert.equal(await ben.getByText(/Order \d/).count(), 0);
    await deliverOne(program, { to: address, subject: 'Order 3' });
    await rowOf(cleo, 'Order 3').waitFor();
    await ben.reload();
    await ben.getByRole('heading', { name: "You're not in this team" }).waitFor();
    await ben.getByRole('link', { name: 'Go to your personal mail' }).click();
    await liveRow(ben, 'For Ben alone');
    assert.deepEqual(await subjects(own), ['For Ben alone']);
    await until(async () => (await ada.getByText('ben@example.com').count()) === 0);
  },
);
