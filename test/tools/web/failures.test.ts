import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openOwnPage, openPage } from '#test/once/web/support/web-page.ts';
import { deliverOne, transmit } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const isFocused = (element: Element) => element === document.activeElement;

const program = await programOfAll();

test('a failure rule is made from a preset, shows its attempts as they come, and is deleted', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/rules');
  await page.getByRole('link', { name: 'Failures' }).click();
  await page.getByText('No failure rules yet.').waitFor();
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /NaN/);
  await page.getByRole('button', { name: 'New failure' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New failure' });
  // Arrow keys choose a preset, starting from the focused preset.
  assert.ok(await dialog.getByRole('radio', { name: 'Fail twice' }).evaluate(isFocused));
  assert.equal(await dialog.getByLabel('How often').inputValue(), '2');
  await page.keyboard.press('ArrowDown');
  assert.ok(await dialog.getByRole('radio', { name: 'Mailbox full' }).isChecked());
  assert.equal(await dialog.getByLabel('How often').inputValue(), '');
  assert.ok(!(await dialog.getByLabel('Reply').isVisible()));
  assert.equal(await dialog.getByLabel('Ends').locator(':checked').textContent(), 'After an hour');
  await dialog.getByText('More settings').click();
  assert.equal(await dialog.getByLabel('Reply').inputValue(), '452 4.2.2 Mailbox full');
  await dialog.getByLabel('Reply').fill('');
  await dialog.getByLabel('Reply').pressSequentially('999 no', { delay: 60 });
  await dialog.getByText('More settings').click();
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  // A refused field is visible and has the focus.
  await dialog.getByText(/must be one line of at most/).waitFor();
  assert.ok(await dialog.getByLabel('Reply').evaluate(isFocused));
  await dialog.getByLabel('Reply').fill('');
  await page.keyboard.type('452 4.2.2 Full', { delay: 60 });
  await dialog.getByLabel('How often').pressSequentially('1', { delay: 60 });
  const to = await dialog.getByLabel('For mail to').inputValue();
  assert.equal(to, `qa+run1@${user.domain.domain}`);
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await dialog.waitFor({ state: 'detached' });
  const brief = `Mailbox fullTo ${to}, at RCPT, refuses with 452 4.2.2 Full`;
  await page.locator('.card > summary', { hasText: brief }).click();
  await page.getByText('At RCPT, refuses the first attempt with 452 4.2.2 Full.').waitFor();
  await page.getByText('No attempts yet.').waitFor();

  await assert.rejects(transmit(program, { to }), /452 4\.2\.2 Full/);
  const attempts = page.getByRole('list', { name: 'Attempts: Mailbox full' }).getByRole('listitem');
  await attempts.getByText('452 4.2.2 Full').waitFor();
  await page.getByText('all pass now').waitFor();
  await deliverOne(program, { to });
  await attempts.getByText('passed').waitFor();
  assert.equal(await attempts.count(), 2);
  assert.match((await attempts.first().textContent()) ?? '', /^\d\d:\d\d:\d\d\+\d/);
  assert.match((await attempts.last().textContent()) ?? '', /^\d\d:\d\d:\d\dqa/);
  await page.getByText('1 failed', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Delete Mailbox full' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No failure rules yet.').waitFor();
  const unexpected = page.errors.filter((error) => !error.includes('422'));
  assert.deepEqual(unexpected, []);
});

test('failure rules are read less often while nothing happens, and soon again once something has', async () => {
  const user = await createUser(program);
  await ok(user.api.post('/api/failures', { name: 'Rare', match: { address: user.address } }));
  await using page = await openOwnPage(program, user, '/manage/rules');
  await page.getByRole('link', { name: 'Failures' }).waitFor();
  await page.clock.install();
  await page.getByRole('link', { name: 'Failures' }).click();
  await page.getByText('0 failed', { exact: true }).waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  let readings = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/failures?')) readings++;
  });
  /** Advances the page's time until it reads the rules, and returns at least the milliseconds that the previous pause took. */
  const pause = async () => {
    const before = readings;
    let passed = 0;
    for (; readings === before; passed += 500) await page.clock.runFor(500);
    return passed;
  };
  for (let reading = 0; reading < 3; reading++) await pause();
  const long = await pause();
  assert.ok(long >= 8000, `${long} ms`);
  await assert.rejects(transmit(program, { to: user.address }), /451/);
  await pause();
  // The page renders by its own clock.
  await until(async () => {
    await page.clock.runFor(100);
    return page.getByText('1 failed', { exact: true }).isVisible();
  });
  const short = await pause();
  assert.ok(short < 8000, `${short} ms`);
});

const presets: [name: string, wanted: object][] = [
  ['Fail twice', { times: 2, reply: '451 4.7.1 Refused on purpose' }],
  ['Mailbox full', { times: null, reply: '452 4.2.2 Mailbox full' }],
  ['Unknown user', { times: null, reply: '550 5.1.1 No such user' }],
  ['Slow', { action: 'delay', delay_ms: 5000, reply: null }],
  ['Bounce', { action: 'dsn', dsn: 'failed' }],
];

test('each preset makes its failure, whichever was chosen before', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/failures');
  for (const [name] of presets) {
    await page.getByRole('button', { name: 'New failure' }).click();
    const dialog = page.getByRole('dialog', { name: 'New failure' });
    for (const [other] of presets) await dialog.getByRole('radio', { name: other }).check();
    await dialog.getByRole('radio', { name }).check();
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  const { items } = await ok(user.api.get('/api/failures'));
  for (const [at, [name, wanted]] of presets.entries())
    assert.partialDeepStrictEqual(items[at], { name, stage: 'rcpt', delay_ms: null, rate: null, ...wanted });
  assert.deepEqual(page.errors, []);
});

test('a rule is paused and changed on its own page, and says so', async () => {
  const user = await createUser(program);
  const rule = { reply: '552 5.2.2 Full', rate: { limit: 1, seconds: 9 }, match: { address: user.address } };
  const { id } = await ok(user.api.post('/api/failures', rule));
  await ok(user.api.post('/api/failures', { name: 'Another' }));
  await using page = await openPage(program, user, `/manage/failures/${id}`);
  await page.getByText('No attempts yet.').waitFor();
  assert.equal(await page.getByText('Another').count(), 0);
  const active = page.getByRole('switch', { name: 'Active' });
  await active.press('Space');
  await page.getByText('paused', { exact: true }).waitFor();
  assert.ok(await active.evaluate(isFocused));

  await page.getByRole('button', { name: `Change To ${user.address}` }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByRole('radio').count(), 0);
  await dialog.getByText('More settings').click();
  await dialog.getByLabel('Name').pressSequentially('Full', { delay: 60 });
  await dialog.getByLabel('For mail to').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('All mail, at RCPT, refuses with 552 5.2.2 Full').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Change Full' }).evaluate(isFocused));
  const nobody = { address: null, from: null, q: null };
  const wanted = { ...rule, name: 'Full', is_active: false, match: nobody, times: null };
  assert.partialDeepStrictEqual(await ok(user.api.get(`/api/failures/${id}`)), wanted);

  await page.getByRole('link', { name: 'All failure rules' }).click();
  await page.locator('.card > summary', { hasText: 'Another' }).waitFor();
  await ok(user.api.delete(`/api/failures/${id}`));
  await page.goBack();
  await page.getByText('This rule has ended.').waitFor();
  const unexpected = page.errors.filter((error) => !error.includes('404'));
  assert.deepEqual(unexpected, []);
});

test('a default reply follows the action of a rule that is changed', async () => {
  const user = await createUser(program);
  const { id, reply } = await ok(user.api.post('/api/failures', {}));
  await using page = await openPage(program, user, `/manage/failures/${id}`);
  await page.getByRole('button', { name: 'Change All mail' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('More settings').click();
  assert.equal(await dialog.getByLabel('Reply').inputValue(), '');
  await dialog.getByText(`Default: ${reply}`).waitFor();
  await dialog.getByLabel('Action').selectOption('dsn');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const wanted = { action: 'dsn', dsn: 'failed', reply: '550 5.1.1 Failed on purpose' };
  assert.partialDeepStrictEqual(await ok(user.api.get(`/api/failures/${id}`)), wanted);
  assert.deepEqual(page.errors, []);
});

test('the form shows the fields that the step and the action take', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/failures');
  await page.getByRole('button', { name: 'New failure' }).click();
  const dialog = page.getByRole('dialog', { name: 'New failure' });
  await dialog.getByText('More settings').click();
  assert.equal(await dialog.getByLabel('Search query').count(), 0);
  await dialog.getByLabel('Action').selectOption('dsn');
  await dialog.getByLabel('Step').selectOption('auth');
  assert.equal(await dialog.getByLabel('For mail to').count(), 0);
  assert.equal(await dialog.getByLabel('Action').inputValue(), 'reply');
  assert.equal(await dialog.getByRole('option', { name: 'Accept, then send a report' }).count(), 0);
  await dialog.getByText('Applies to senders that sign in').waitFor();
  await dialog.getByLabel('Step').selectOption('end');
  await dialog.getByLabel('Delay, seconds').pressSequentially('61', { delay: 60 });
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await dialog.getByText('must be a number from 0, up to 60').waitFor();
  await dialog.getByLabel('Delay, seconds').fill('');
  await dialog.getByLabel('Action').selectOption('dsn');
  await dialog.getByLabel('Report').selectOption('autoreply');
  assert.equal(await dialog.getByLabel('Reply').count(), 0);
  await dialog.getByLabel('Search query').pressSequentially('subjct:order', { delay: 60 });
  await dialog.getByText('No operator “subjct:”').waitFor();
  await dialog.getByLabel('Search query').fill('subject:order');
  await dialog.getByLabel('Delay, seconds').pressSequentially('0.5', { delay: 60 });
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { items } = await ok(user.api.get('/api/failures'));
  const { stage, action, dsn, delay_ms, match } = items[0];
  assert.deepEqual(
    [stage, action, dsn, delay_ms, match.q],
    ['end', 'dsn', 'autoreply', 500, 'subject:order'],
  );
  const unexpected = page.errors.filter((error) => !error.includes('422'));
  assert.deepEqual(unexpected, []);
});

test('a rate is typed as its limit and its window, and the rule says it', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/failures');
  await page.getByRole('button', { name: 'New failure' }).click();
  const dialog = page.getByRole('dialog', { name: 'New failure' });
  await dialog.getByLabel('How often').fill('');
  await dialog.getByText('More settings').click();
  assert.equal(await dialog.getByLabel('Window, seconds').count(), 0);
  await dialog.getByLabel('Rate').pressSequentially('3', { delay: 60 });
  await dialog.getByLabel('Window, seconds').fill('0');
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await dialog.getByText(/must be at least 1/).waitFor();
  await dialog.getByLabel('Window, seconds').fill('10');
  await dialog.getByRole('button', { name: 'Create rule' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.card > summary').click();
  await page.getByText('At RCPT, refuses attempts beyond 3 in 10 s with 451 4.7.1').waitFor();
  const { items } = await ok(user.api.get('/api/failures'));
  assert.deepEqual(items[0].rate, { limit: 3, seconds: 10 });
  const unexpected = page.errors.filter((error) => !error.includes('422'));
  assert.deepEqual(unexpected, []);
});

test('the count of a rule follows its attempts, while the rule is closed too', async () => {
  const user = await createUser(program);
  await ok(user.api.post('/api/failures', { match: { address: user.address } }));
  await using page = await openPage(program, user, '/manage/failures');
  for (const count of [1, 2]) {
    await assert.rejects(transmit(program, { to: user.address }), /Refused on purpose/);
    await page.locator('.card > summary').getByText(`${count} failed`, { exact: true }).waitFor();
  }
  assert.deepEqual(page.errors, []);
});

test('an account that simulates failures shows the addresses that fail, and they do', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/accounts');
  await page.locator('.card > summary', { hasText: user.address }).click();
  await page.getByRole('switch', { name: 'Simulates failures' }).press('Enter');
  const addresses = page.getByRole('group', { name: `Failing addresses for ${user.address}` });
  await addresses.getByText('Failing addresses').click();
  const to = `qa+fail-550@${user.domain.domain}`;
  await addresses.getByText(to).waitFor();
  await addresses.getByRole('button', { name: `Copy ${to}` }).click();
  await addresses.getByText('Copied').first().waitFor();
  await assert.rejects(transmit(program, { to }), /550 5\.7\.1 Refused on purpose/);
  await page.getByRole('switch', { name: 'Simulates failures' }).press('Enter');
  await addresses.waitFor({ state: 'detached' });
  assert.deepEqual(page.errors, []);
});

test('mail that is composed to a failing address is reported to its sender', async () => {
  const user = await createUser(program);
  await ok(user.api.patch(`/api/accounts/${user.account.id}`, { simulates_failures: true }));
  await using page = await openPage(program, user, '/manage/compose');
  const to = `qa+fail-550@${user.domain.domain}`;
  await page.getByLabel('To', { exact: true }).fill(to);
  await page.getByLabel('Subject').fill('Does it come?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(`Reports on simulated failures go to ${user.address}.`).waitFor();
  await page.goto(`/mail/${user.account.id}/${user.inbox}`);
  await page.getByRole('option').filter({ hasText: 'MAILER-DAEMON' }).click();
  await page.getByText(`Bounce: mail to ${to} could not be delivered: 550 5.7.1`).waitFor();
  assert.deepEqual(page.errors, []);
});
