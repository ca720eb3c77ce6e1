import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf, subjects } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await startMailProgram();

/** Delivers an email with this Message-ID that replies to another. */
const answer = (subject: string, id: string, to = '') => {
  const reply = to === '' ? '' : `In-Reply-To: <${to}@x>\r\n`;
  const raw = `From: ${id}@example.com\r\nTo: ${mail.user.address}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@x>\r\n${reply}\r\nText of ${id}\r\n`;
  return deliverOne(mail.program, { to: mail.user.address, raw });
};

test('a switch makes one row of each conversation, which goes with one key and comes back', async () => {
  await answer('Lunch', 'first');
  await answer('Other', 'other');
  await answer('Re: Lunch', 'second', 'first');
  await using page = await openPage(mail.program, mail.user);
  await liveRow(page, 'Other');
  assert.deepEqual(await subjects(page), ['Re: Lunch', 'Other', 'Lunch']);
  const button = page.getByRole('button', { name: 'Conversations' });
  await button.press('Enter');
  await until(async () => (await subjects(page)).join() === 'Re: Lunch,Other');
  assert.equal(await page.locator('.row-count').textContent(), '2 messages');
  await page.locator('.list-head').getByText('3 messages').waitFor();
  assert.ok(await button.evaluate((element) => element === document.activeElement));

  // When a reply arrives, the row stays in place and shows the newest message.
  await answer('Re: Re: Lunch', 'third', 'second');
  await until(async () => (await subjects(page)).join() === 'Re: Re: Lunch,Other');
  await rowOf(page, 'Re: Re: Lunch').click();
  const thread = page.getByRole('navigation', { name: 'Conversation' });
  await thread.getByRole('link', { name: 'first@example.com' }).click();
  await page.getByRole('heading', { name: 'Lunch', exact: true }).waitFor();
  assert.equal(
    await thread
      .locator('[aria-current]')
      .textContent()
      .then((text) => text?.slice(0, 5)),
    'first',
  );
  assert.ok(await rowOf(page, 'Re: Re: Lunch').evaluate((row) => row.classList.contains('open')));

  await page.reload();
  await until(async () => (await subjects(page)).join() === 'Re: Re: Lunch,Other');
  await page.keyboard.press('Escape', { delay: 100 });
  await rowOf(page, 'Re: Re: Lunch').click({ modifiers: ['Control'] });
  await page.keyboard.press('e', { delay: 100 });
  await page.getByText('Deleting 3 messages in 10 s').waitFor();
  assert.deepEqual(await subjects(page), ['Other']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await subjects(page)).join() === 'Re: Re: Lunch,Other');
  await page.locator('.list').focus();
  for (const key of ['v', 'c']) await page.keyboard.press(key, { delay: 100 });
  await until(async () => (await subjects(page)).length === 4);
  assert.deepEqual(page.errors, []);
});

test('the strip of a long conversation shows the open message whole', async () => {
  for (let number = 1; number <= 7; number++)
    await answer(`Part ${number}`, `part${number}`, number === 1 ? '' : 'part1');
  await using page = await openPage(mail.program, mail.user);
  await liveRow(page, 'Part 7');
  await page.getByRole('button', { name: 'Conversations' }).press('Enter');
  await until(async () => !(await subjects(page)).includes('Part 1'));
  await rowOf(page, 'Part 7').click();
  const thread = page.getByRole('navigation', { name: 'Conversation' });
  /** Returns whether the open message is in the strip, and how much of the lines at its edges is cut off. */
  const shown = () =>
    thread.evaluate((strip) => {
      const { top, bottom } = strip.getBoundingClientRect();
      const lines = [...strip.children].map((line) => line.getBoundingClientRect());
      const whole = lines.filter((line) => line.top >= top && line.bottom <= bottom);
      const open = strip.querySelector('[aria-current]')?.getBoundingClientRect();
      return [whole.length, open !== undefined && open.top >= top && open.bottom <= bottom];
    });
  await thread.locator('[aria-current]', { hasText: 'part7' }).waitFor();
  await until(async () => (await shown()).join() === '5,true');
  await page.keyboard.press('Escape', { delay: 100 });
  await ok(mail.user.api.post('/api/messages/bulk', { action: 'delete', q: 'subject:part' }));
  await until(async () => !(await subjects(page)).includes('Part 7'));
  assert.deepEqual(page.errors, []);
});

test('the icon of the tab has a dot while mail is unread', async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, subject: 'Unread' });
  await using page = await openPage(mail.program, mail.user);
  await liveRow(page, 'Unread');
  const icon = page.locator('link[rel=icon]');
  const hasDot = async () => /icon-unread/.test((await icon.getAttribute('href')) ?? '');
  await until(hasDot);
  assert.equal((await page.request.get((await icon.getAttribute('href')) ?? '')).status(), 200);
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await until(async () => !(await hasDot()));
  assert.equal((await ok(mail.user.api.get(`/api/messages/${id}`))).is_read, true);
});
