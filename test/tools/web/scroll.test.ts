import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { until } from '#test/support/runner/until.ts';

type TraceEvent = { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } };

const total = 100_000;

const { program, user } = await scene();
await deliverOne(program, { to: user.address, subject: 'Only one' });

/** Answers list requests as an API with 100,000 messages would. Other requests reach the real program. */
async function pretendMany(page: Page): Promise<void> {
  await page.route('**/api/messages?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    if (query.has('since')) return route.continue();
    const [pageNumber, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    const first = (pageNumber - 1) * limit;
    const items = Array.from({ length: Math.min(limit, total - first) }, (_, i) => summary(first + i));
    const pagination = { page: pageNumber, limit, per_page: limit, total };
    await route.fulfill({ json: { items, pagination, cursor: 1 } });
  });
}

const summary = (position: number) => ({
  id: 1_000_000 - position,
  msgid: `<${position}@example.com>`,
  account_id: user.account.id,
  mailbox_id: user.inbox,
  subject: `Message at ${position}`,
  intro: 'Your one-time code is 483920. If you did not ask for this, ignore it.',
  thread_id: null,
  from_address: 'shop@example.com',
  from_name: position % 2 === 0 ? 'Shop' : null,
  to_addresses: [user.address],
  received_at: new Date(Date.now() - position * 1000).toISOString(),
  expires_at: null,
  size_bytes: 2000,
  is_read: position % 3 !== 0,
  is_flagged: position % 7 === 0,
  has_attachments: position % 5 === 0,
  code: position % 2 === 0 ? '483920' : null,
  tags: [],
  main_link: null,
});

test('100,000 messages scroll smoothly, with few rows in the document', async (t) => {
  await using page = await openPage(program, user, '/api/health');
  await pretendMany(page);
  await page.goto('/');
  await liveRow(page, 'Message at 0');
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', 'toplevel'] });
  // Two seconds at 3,000 pixels per second, then a jump to the end and back to the middle.
  const frames = await page.locator('.list').evaluate(async (list) => {
    const gaps: number[] = [];
    let before = performance.now();
    const begun = before;
    await new Promise<void>((done) => {
      const frame = (now: number) => {
        gaps.push(now - before);
        before = now;
        list.scrollTop += (3000 / 1000) * (gaps.at(-1) ?? 0);
        if (now - begun < 2000) requestAnimationFrame(frame);
        else done();
      };
      requestAnimationFrame(frame);
    });
    return gaps.sort((a, b) => a - b);
  });
  const trace = await browser?.stopTracing();
  t.diagnostic(`the page's longest task took ${longestTask(String(trace))} ms of the processor`);
  const quantile = (share: number) => Math.round(frames[Math.floor((frames.length - 1) * share)] ?? 0);
  t.diagnostic(`${frames.length} frames; half within ${quantile(0.5)} ms, longest ${quantile(1)} ms`);
  assert.ok((await page.getByRole('option').count()) < 60);
  await page.locator('.list').press('End');
  await page.getByText(`Message at ${total - 1}`, { exact: true }).waitFor();
  await page.locator('.list').evaluate((list) => {
    list.scrollTop = 50_000 * 52;
  });
  await page.getByText('Message at 50000', { exact: true }).waitFor();
  assert.deepEqual(page.errors, []);
});

/** Returns the longest task on threads that run pages, in ms of processor time. Other work on the machine does not count. */
function longestTask(trace: string): number {
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(trace);
  const pages = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  );
  const ofPages = new Set(pages.map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && ofPages.has(`${pid} ${tid}`),
  );
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 100) / 10;
}

test('a row that a script scrolls to and presses at once stays under the pointer', async () => {
  await using page = await openPage(program, user, '/api/health');
  await pretendMany(page);
  await page.goto('/');
  await liveRow(page, 'Message at 0');
  const list = page.locator('.list');
  // The scroll event follows the focus, as with users' own scripts.
  const top = await list.evaluate((element: HTMLElement) => {
    element.scrollTop = 680;
    element.focus();
    return new Promise((resolve) =>
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(element.scrollTop))),
    );
  });
  assert.equal(top, 680);
});

test('pages passed while answers are awaited are never requested', async () => {
  await using page = await openPage(program, user, '/api/health');
  await pretendMany(page);
  await page.goto('/');
  await liveRow(page, 'Message at 0');
  const asked: string[] = [];
  const answering = Promise.withResolvers<void>();
  await page.route('**/api/messages?page=*', async (route) => {
    asked.push(route.request().url());
    await answering.promise;
    await route.fallback();
  });
  await page.locator('.list').evaluate(async (list) => {
    for (let step = 1; step <= 200; step++) {
      list.scrollTop = step * 25_000;
      await new Promise(requestAnimationFrame);
    }
  });
  await until(() => asked.length > 0);
  assert.ok(asked.length <= 2, asked.join(' '));
  answering.resolve();
  const last = Math.floor((200 * 25_000) / 52);
  await page.getByText(`Message at ${last}`, { exact: true }).waitFor();
  await until(async () => (await page.locator('.row.unknown').count()) === 0);
  assert.ok(asked.length < 10, asked.join(' '));
});

test('the list shows the row of a message that an address opens', async () => {
  await using page = await openPage(program, user, '/api/health');
  await pretendMany(page);
  await page.goto(`/mail/all/${summary(60).id}`);
  const row = page.getByRole('option').filter({ hasText: 'Message at 60' });
  await row.and(page.locator('.open.active')).waitFor();
  assert.ok(await row.isVisible());
});
