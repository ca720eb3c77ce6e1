import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openOwnPage } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { until } from '#test/support/runner/until.ts';

const total = 2500;
const mail = await startMailProgram();

const summary = (position: number) => ({
  id: 10_000 - position,
  account_id: mail.user.account.id,
  mailbox_id: mail.user.inbox,
  subject: `Message at ${position}`,
  thread_id: null,
  from_address: 'shop@example.com',
  from_name: null,
  to_addresses: [mail.user.address],
  received_at: new Date().toISOString(),
  is_read: true,
  tags: [],
});

/** Answers for the list as an API with 2,500 messages would. Holds each bulk request until `next` responds. */
async function pretendMany(page: Page) {
  const gone = new Set<number>();
  const held: Route[] = [];
  await page.route('**/api/messages?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [number, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit'))];
    const left = Array.from({ length: total }, (_, position) => summary(position)).filter(
      ({ id }) => !gone.has(id),
    );
    const items = query.has('since') ? [] : left.slice((number - 1) * limit, number * limit);
    const pagination = { page: number, limit, per_page: limit, total: query.has('since') ? 0 : left.length };
    await route.fulfill({ json: { items, pagination, cursor: 1 } });
  });
  await page.route('**/api/messages/bulk', (route) => void held.push(route));
  return {
    held,
    async next(answer: object = {}) {
      await until(() => held.length > 0);
      const [route] = held.splice(0, 1);
      const body = route?.request().postDataJSON();
      if (body.action === 'delete') for (const id of body.ids) gone.add(id);
      const { length } = body.ids;
      await route?.fulfill({
        json: { matched: length, changed: length, done: true, cursor: null, ...answer },
      });
      return body;
    },
  };
}

async function openMany() {
  const page = await openOwnPage(mail.program, mail.user, '/api/health');
  await page.clock.install();
  const many = await pretendMany(page);
  await page.goto('/');
  await liveRow(page, 'Message at 0');
  return Object.assign(page, many);
}

test('everything is changed by a thousand at a time, with its progress, until it is stopped', async () => {
  await using page = await openMany();
  const { next, held } = page;
  await page.locator('.list').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('2,500 selected').waitFor();
  await page.keyboard.press('f', { delay: 100 });
  const first = await next();
  assert.equal(first.action, 'flag');
  assert.deepEqual([first.ids.length, first.ids[0], first.ids[999]], [1000, 10_000, 9001]);
  const progress = page.getByRole('progressbar', { name: 'Flagging messages' });
  await page.getByText('Flagging messages: 1,000 of 2,500').waitFor();
  assert.equal(await progress.getAttribute('value'), '1000');
  // A request that ran out of time is continued.
  const second = await next({ done: false, cursor: '7.7' });
  const again = await next();
  assert.deepEqual([again.cursor, again.ids], ['7.7', second.ids]);
  await page.getByText('Flagging messages: 2,000 of 2,500').waitFor();
  await until(() => held.length > 0);
  await page.getByRole('button', { name: 'Stop' }).click();
  assert.equal((await next()).ids.length, 500);
  await until(async () => (await progress.count()) === 0);
  assert.deepEqual(page.errors, []);
});

test('everything that is deleted can be brought back for ten seconds', async () => {
  await using page = await openMany();
  const { next, held } = page;
  const removeAll = async () => {
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Deleting 2,500 messages in 10 s').waitFor();
    await page.getByText('Waiting for email').waitFor();
  };
  await removeAll();
  await page.clock.fastForward(5000);
  await page.getByRole('button', { name: 'Undo' }).click();
  await liveRow(page, 'Message at 0');
  await page.clock.fastForward(9000);
  assert.equal(held.length, 0);

  await removeAll();
  await page.clock.fastForward(10_000);
  assert.equal((await next()).action, 'delete');
  await page.getByText('Deleting messages: 1,000 of 2,500').waitFor();
  await until(() => held.length > 0);
  await page.getByRole('button', { name: 'Stop' }).click();
  await next();
  // Messages that the request did not reach reappear.
  await page.locator('[role=option][aria-setsize="500"]').first().waitFor();
  assert.deepEqual(page.errors, []);
});
