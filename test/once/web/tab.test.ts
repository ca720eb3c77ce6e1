import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { scene } from '#test/support/program/scene.ts';

const { program, user } = await scene();

test('a tab that a test left is like a new one', async () => {
  const options = {
    viewport: { width: 500, height: 400 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  } as const;
  const left = await openPage(program, user, '/', { ...options, permissions: ['clipboard-read'] });
  const requests: string[] = [];
  left.on('request', (request) => requests.push(request.url()));
  await left.evaluate(() => {
    for (const storage of [localStorage, sessionStorage]) storage.setItem('left', 'yes');
  });
  await left.context().newPage();
  for (const place of [left, left.context()])
    await place.route('**/api/auth/session', (route) => route.fulfill({ status: 418 }));
  await left.context().setOffline(true);
  await left[Symbol.asyncDispose]();
  requests.length = 0;

  await using page = await openPage(program, null);
  assert.ok(page === left);
  await page.getByRole('heading', { name: 'Sandpost' }).waitFor();
  const found = await page.evaluate(async () => ({
    stored: [localStorage.getItem('left'), sessionStorage.getItem('left')],
    size: [innerWidth, innerHeight],
    media: ['dark', 'reduce'].map(
      (value, at) => matchMedia(`(prefers-${at ? 'reduced-motion' : 'color-scheme'}: ${value})`).matches,
    ),
    clipboard: (await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })).state,
    session: (await fetch('/api/auth/session')).status,
  }));
  const stored = [null, null];
  assert.deepEqual(found, {
    stored,
    size: [1400, 900],
    media: [false, false],
    clipboard: 'prompt',
    session: 401,
  });
  assert.equal(page.context().pages().length, 1);
  assert.deepEqual(requests, []);
});

test('a clock needs a page of its own', async () => {
  await using page = await openPage(program, user);
  assert.throws(() => page.clock.install(), /openOwnPage/);
});
