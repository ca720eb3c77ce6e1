import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openOwnPage, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

const isBulk = (request: Request) => request.url().endsWith('/api/messages/bulk');
const isChange = (request: Request) =>
  ['PATCH', 'PUT', 'DELETE'].includes(request.method()) || isBulk(request);

/** Returns the messages that a change names. -1 stands for a call that names none. */
const idsIn = (request: Request): number[] =>
  isBulk(request) ? request.postDataJSON().ids : [Number(/\/messages\/(\d+)/.exec(request.url())?.[1] ?? -1)];

/** Records the IDs of messages that the page changes, without changing them. */
async function recordChanges(page: Page): Promise<() => number[]> {
  let ids: number[] = [];
  await page.route('**/api/**', async (route, request) => {
    if (!isChange(request)) return route.fallback();
    ids.push(...idsIn(request));
    const [id] = idsIn(request);
    if (request.method() === 'DELETE') return route.fulfill({ status: 204 });
    if (isBulk(request)) return route.fulfill({ json: { matched: 0, changed: 0, done: true, cursor: null } });
    await route.fulfill({ json: { id, is_read: false, is_flagged: false, expires_at: null, deleted: 0 } });
  });
  return () => {
    const taken = ids.toSorted((a, b) => a - b);
    ids = [];
    return taken;
  };
}

/** Waits until the page has made as many changes as the list shows. An extra change fails the next comparison. */
async function idsOf(taken: () => number[], count: number): Promise<number[]> {
  const ids: number[] = [];
  await until(() => {
    ids.push(...taken());
    return ids.length >= count;
  });
  return ids.sort((a, b) => a - b);
}

const flags = ['unread', 'is_flagged', 'has_attachments'];
const filters = Array.from({ length: 16 }, (_, bits) => [
  ...flags.filter((_flag, index) => bits & (1 << index)).map((flag) => `${flag}=true`),
  ...(bits & 8 ? ['q=needle'] : []),
]);

/** Delivers a message with each combination of flags and word to both accounts. */
async function deliverAll(user: User, addresses: string[]): Promise<void> {
  const sent = addresses.flatMap((to) =>
    Array.from({ length: 16 }, async (_, bits) => {
      const attachments = bits & 4 ? [{ filename: 'a.txt', content: 'x' }] : [];
      const subject = `Mail ${bits}${bits & 8 ? ' needle' : ''}`;
      const id = await deliverOne(program, { to, subject, attachments });
      await ok(
        user.api.patch(`/api/messages/${id}`, { is_read: !(bits & 1), is_flagged: Boolean(bits & 2) }),
      );
    }),
  );
  await Promise.all(sent);
}

test('everything that is selected is exactly what the list shows, with every filter', async (t) => {
  const user = await createUser(program);
  const second = `second@${user.domain.domain}`;
  await ok(user.api.post('/api/accounts', { address: second }));
  await deliverAll(user, [user.address, second]);
  await using page = await openOwnPage(program, user);
  await page.clock.install();
  const taken = await recordChanges(page);
  const inbox = `/accounts/${user.account.id}/mailboxes/${user.inbox}`;
  // Tries every combination in one list and none in the other, individually and all together.
  const fewer = filters.filter(({ length }) => length < 2 || length === 4);
  const lists = [
    ['all', '', filters],
    [`${user.account.id}/${user.inbox}`, inbox, fewer],
  ] as const;
  for (const [place, api, chosen] of lists) {
    for (const filter of chosen) {
      const query = filter.join('&');
      await t.test(`${api === '' ? 'all mail' : 'the inbox'}, ${query || 'no filter'}`, async () => {
        const { items } = await ok(user.api.get(`/api${api}/messages?limit=200&${query}`));
        const wanted: number[] = items
          .map(({ id }: { id: number }) => id)
          .sort((a: number, b: number) => a - b);
        assert.ok(wanted.length > 0);
        const count = wanted.length;
        await page.goto(`/mail/${place}?${query}`);
        await page.locator(`[role=option][aria-setsize="${count}"]`).first().waitFor();
        for (const key of ['f', 'u']) {
          await page.keyboard.press('Control+a');
          await page.keyboard.press(key);
          assert.deepEqual(await idsOf(taken, count), wanted, key);
        }
        await page.keyboard.press('e');
        await page
          .getByText(`Delete all ${count} messages?`)
          .or(page.getByText('Delete this message?'))
          .waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
        await page.clock.fastForward(10_000);
        assert.deepEqual(await idsOf(taken, count), wanted, 'e');
        if (api === '') return;
        // The list has dropped the messages that it considers deleted.
        await page.reload();
        await page.locator(`[role=option][aria-setsize="${count}"]`).first().waitFor();
        await page.keyboard.press('Control+a');
        await page.keyboard.press('m');
        await page.getByRole('dialog').getByRole('button', { name: 'Trash' }).click();
        assert.deepEqual(await idsOf(taken, count), wanted, 'm');
      });
    }
  }
});

test('a search or a filter that hides the active message keeps keys from it', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Hidden' });
  await using page = await openPage(program, user);
  const taken = await recordChanges(page);
  const hides = {
    '/mail/all?q=nowhere': async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('nowhere');
      await page.keyboard.press('Enter');
    },
    '/mail/all?is_flagged=true': async () => {
      await page.keyboard.press('v');
      await page.keyboard.press('f');
    },
  };
  for (const [url, hide] of Object.entries(hides)) {
    await page.goto('/mail/all');
    await liveRow(page, 'Hidden');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await hide();
    await page.getByText('Nothing matches.').waitFor();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, url);
    for (const key of ['e', 'u', 'f', 'm', 't', 'Control+a', 'e', 'u', 'f', 'm', 't']) {
      await page.keyboard.press(key);
    }
    // The help opens, so all earlier keys have taken effect.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 1);
    assert.equal(await page.getByText(/deleted|selected/).count(), 0);
    assert.deepEqual(taken(), []);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Show all' }).click();
    await rowOf(page, 'Hidden').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('f');
    assert.equal((await idsOf(taken, 1)).length, 1);
  }
});

for (const [state, respond] of [
  ['is being read', () => new Promise<never>(() => {})],
  ['could not be read', undefined],
] as const) {
  test(`keys do nothing while the list ${state}`, async () => {
    const user = await createUser(program);
    await deliverOne(program, { to: user.address, subject: 'Here' });
    await using page = await openPage(program, user);
    const taken = await recordChanges(page);
    await liveRow(page, 'Here');
    await page.keyboard.press('j');
    await page.route('**/mailboxes/*/messages?**', async (route) => {
      if (respond) await respond();
      else await route.fulfill({ status: 503, json: { status: 503, code: 'unavailable', detail: 'Away' } });
    });
    await page.getByRole('treeitem', { name: 'Inbox' }).click();
    await page.locator('.list[aria-busy=true]').waitFor();
    if (!respond) await page.getByText('Away').waitFor();
    for (const key of ['e', 'u', 'f', 'm', 't', 'Control+a', 'e', 'm']) await page.keyboard.press(key);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 1);
    assert.equal(await page.getByText(/deleted/).count(), 0);
    assert.deepEqual(taken(), []);
  });
}

test('mail that comes between the question and the answer is not deleted', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address, subject: 'Old' });
  await deliverOne(program, { to: user.address, subject: 'Older' });
  await using page = await openPage(program, user, `/mail/${user.account.id}/${user.inbox}`);
  await liveRow(page, 'Old');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('e');
  await page.getByText('Delete all 2 messages?').waitFor();
  await deliverOne(program, { to: user.address, subject: 'New' });
  await rowOf(page, 'New').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await until(async () => (await subjects(page)).join() === 'New');
  await until(async () => (await ok(user.api.get('/api/messages'))).pagination.total === 1);
});

test('everything of a list longer than a page is acted on, but no message whose deletion can be undone', async () => {
  const user = await createUser(program);
  const mails = Array.from({ length: 120 }, (_, index) => ({ to: user.address, subject: `Mail ${index}` }));
  for (const mail of mails) await deliverOne(program, mail);
  await using page = await openPage(program, user);
  await recordChanges(page);
  // The page sends the deletion when it can no longer be undone. On a busy machine, that is before the flags.
  const flagged = new Set<number>();
  page.on('request', (request) => {
    if (isBulk(request) && request.postDataJSON().action === 'flag')
      for (const id of idsIn(request)) flagged.add(id);
  });
  await liveRow(page, 'Mail 119');
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await page.getByText('Deleting 1 message in 10 s').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText('119 selected').waitFor();
  await page.keyboard.press('f');
  await until(() => flagged.size >= 119);
  const { items } = await ok(user.api.get('/api/messages?limit=1'));
  assert.equal(flagged.size, 119);
  assert.ok(!flagged.has(items[0].id));
});

test('everything is what the list had when it was selected, and a new row looks selected to nobody', async () => {
  const user = await createUser(program);
  const older = ['One', 'Two', 'Three'];
  for (const subject of older) await deliverOne(program, { to: user.address, subject });
  const { items } = await ok(user.api.get('/api/messages'));
  await using page = await openPage(program, user, '/', { reducedMotion: 'reduce' });
  const taken = await recordChanges(page);
  await liveRow(page, 'Three');
  const colour = (subject: string) =>
    rowOf(page, subject).evaluate((row) => getComputedStyle(row).backgroundColor);
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await deliverOne(program, { to: user.address, subject: 'Late' });
  await page.locator('.row.fresh', { hasText: 'Late' }).waitFor();
  assert.equal(await page.getByText('3 selected').count(), 1);
  assert.equal(await rowOf(page, 'Late').getAttribute('aria-selected'), 'false');
  assert.notEqual(await colour('Late'), await colour('One'));
  // A new selected row has the same color as the other selected rows.
  await rowOf(page, 'Late').click({ modifiers: ['Control'] });
  await page.locator('.row.fresh.selected').waitFor();
  assert.equal(await colour('Late'), await colour('One'));
  await rowOf(page, 'Late').click({ modifiers: ['Control'] });
  await page.keyboard.press('f');
  const wanted = items.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b);
  assert.deepEqual(await idsOf(taken, 3), wanted);
  await page.keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await deliverOne(program, { to: user.address, subject: 'Later' });
  await rowOf(page, 'Later').waitFor();
  await page.keyboard.press('e');
  await page.getByText('Delete all 4 messages?').waitFor();
});
