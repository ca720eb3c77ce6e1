import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { createSharedTeam } from '#test/once/web/support/shared-team.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

test('the audit log and the search fit a narrow window without broken words', async () => {
  const user = await createUser(program);
  const id = await deliverOne(program, { to: user.address, subject: 'Open' });
  const viewport = { width: 1024, height: 700 };
  await using page = await openPage(program, user, `/mail/all/${id}`, { viewport });
  const search = page.getByRole('combobox', { name: 'Search' });
  assert.equal(await search.evaluate((input) => getComputedStyle(input).textOverflow), 'ellipsis');

  const entry = {
    ...{ id: 1, at: new Date().toISOString(), action: 'team.imported' },
    actor: 'bartholomew.longname@engineering.example.com',
    target: 'someone.else@engineering.example.com: member',
    remote_address: '2001:db8:85a3:1111:2222:8a2e:370:7334',
  };
  const pagination = { page: 1, limit: 50, total: 1, pages: 1 };
  await page.route('**/api/audit-log?*', (route) => route.fulfill({ json: { items: [entry], pagination } }));
  await page.goto('/manage/audit');
  const cells = page.getByRole('cell');
  await cells.first().waitFor();
  const broken = await cells.evaluateAll((all) =>
    all.flatMap((cell) => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s@.:]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (range.getClientRects().length > 1) found.push(word);
        }
      }
      return found;
    }),
  );
  assert.deepEqual(broken, []);
});

test('each line of the audit log is a sentence', async () => {
  const [ada, ben] = ['ada@example.com', 'ben@example.com'];
  const lines = [
    [ben, 'member.joined', `${ben}: member`, 'joined as member'],
    ['kubernetes', 'member.joined', `${ben}: owner`, `added ${ben} as owner`],
    [ada, 'member.changed', `${ben}: viewer`, `changed ${ben}'s role to viewer`],
    [ada, 'member.removed', ben, `removed a member: ${ben}`],
    [ada, 'invitation.created', 'anyone: viewer', 'invited anyone as viewer'],
    [ada, 'session.created', ada, 'signed in'],
    [ada, 'rule.changed', 'Night: jobs', 'changed a rule: Night: jobs'],
    [ada, 'api_key.created', 'and 4000 more', 'created an API key and 4000 more'],
    [ada, 'shares.forbidden', 'Checkout', 'forbade share links in the team: Checkout'],
    [
      'anyone with the link',
      'share.opened',
      'Verify your email',
      'opened a share link for the first time: Verify your email',
    ],
  ];
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/domains');
  const items = lines.map(([actor, action, target], id) => {
    return { id, at: new Date().toISOString(), actor, action, target, remote_address: null };
  });
  const pagination = { page: 1, limit: 50, total: items.length, pages: 1 };
  await page.route('**/api/audit-log?*', (route) => route.fulfill({ json: { items, pagination } }));
  await page.goto('/manage/audit');
  await page.getByRole('cell').first().waitFor();
  const rows = await page.getByRole('row').all();
  const shown = await Promise.all(rows.slice(1).map((row) => row.getByRole('cell').allTextContents()));
  assert.deepEqual(
    shown.map(([, who, what]) => `${who} ${what}`),
    lines.map(([actor, , , what]) => `${actor} ${what}`),
  );
});

test('a key is made, shown once, used and revoked', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/keys');
  const context = page.context();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('nightly');
  await page.getByRole('button', { name: 'Create key' }).click();
  const value = (await page.getByText(/^sp_[\w-]{43}$/).textContent()) ?? '';
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByRole('button', { name: 'Copy the key' }).getByText('Copied').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), value);
  const withKey = new HttpClient(program, { 'x-api-key': value });
  await ok(withKey.get('/api/domains'));

  await page.reload();
  const row = page.getByRole('listitem').filter({ hasText: 'nightly' });
  await row.getByText(/used just now/).waitFor();
  assert.equal(await page.getByText(value).count(), 0);
  await row.getByRole('button', { name: 'Revoke nightly' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  assert.equal(await page.locator(':focus').getAttribute('tabindex'), '-1', 'the page has the focus');
  assert.equal((await withKey.get('/api/domains')).status, 401);
});

test('copying works where the browser has no clipboard API, as over plain http', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/domains');
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  await page.getByRole('button', { name: 'New domain' }).click();
  await page.getByLabel('curl: Create domain').click();
  const copy = page.getByRole('button', { name: 'Copy the curl command: Create domain' });
  await copy.click();
  await copy.getByText('Copied').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).focus();
  await page.keyboard.press('Control+V');
  const pasted = await page.getByRole('textbox', { name: 'Name' }).inputValue();
  assert.match(pasted, /^curl 'http.*"domain":""/);
});

test('a mail is composed within the sandbox; addresses outside are refused in place', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/compose');
  await page.getByLabel('To', { exact: true }).fill(`${user.address}, ann@example.com`);
  await page.getByText('Cc, Bcc, Reply-To').click();
  await page.getByLabel('Reply-To', { exact: true }).fill(user.address);
  await page.getByLabel('Subject').fill('Composed');
  await page.getByLabel('Text').fill('Hello');
  await page.getByLabel('HTML').fill('<p>Hello</p>');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('ann@example.com: is not on one of your domains').waitFor();
  await page.getByLabel('To', { exact: true }).fill(user.address.replace('@', '+tag@'));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^Delivered to qa\+tag@/).waitFor();
  const list = await ok(user.api.get('/api/messages?subject=Composed'));
  const message = await ok(user.api.get(`/api/messages/${list.items[0].id}`));
  assert.equal(message.tag, 'tag');
  assert.match(message.html, /<p>Hello<\/p>/);
  assert.equal(message.reply_to[0].address, user.address);
});

test('a mail that is being written stays until it is sent or another user comes', async () => {
  const user = await createUser(program);
  const team = await createSharedTeam(program, user);
  await using page = await openPage(program, user, '/manage/compose');
  const context = page.context();
  const to = page.getByLabel('To', { exact: true });
  const subject = page.getByLabel('Subject');
  const visit = (name: string) =>
    page.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name }).click();
  const signIn = async ({ email, password }: typeof user) => {
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  // A request from the page itself may prompt for sign-in first and remove the button.
  const sendIfShown = () =>
    page
      .getByRole('button', { name: 'Send' })
      .evaluateAll(([button]) => button instanceof HTMLElement && button.click());
  await to.fill(user.address);
  await subject.fill('Half');
  await visit('Domains');
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
  await visit('Compose');
  assert.deepEqual([await to.inputValue(), await subject.inputValue()], [user.address, 'Half']);

  // Another team has a separate draft.
  await page.goto(`/team/${team.id}/manage/compose`);
  assert.equal(await subject.inputValue(), '');
  await page.goto('/manage/compose');
  assert.equal(await subject.inputValue(), 'Half');

  await context.clearCookies();
  await sendIfShown();
  await page.getByText('Sign in again to continue where you left off').waitFor();
  await signIn(user);
  assert.deepEqual([await to.inputValue(), await subject.inputValue()], [user.address, 'Half']);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/^Delivered to /).waitFor();
  await page.reload();
  assert.equal(await subject.inputValue(), '');

  await subject.fill('Secret');
  await context.clearCookies();
  await sendIfShown();
  await signIn(await createUser(program));
  await page.getByRole('listbox').waitFor();
  await page.goto('/manage/compose');
  assert.equal(await subject.inputValue(), '');
  await subject.fill('Left');
  await visit('You');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), /Left|Secret|Half/);
});

test('the password is changed, which ends other sessions; a wrong one is refused', async () => {
  const user = await createUser(program);
  const login = await new HttpClient(program).post('/api/auth/login', {
    email: user.email,
    password: user.password,
  });
  const other = (login.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  await using page = await openPage(program, user, '/manage/you');
  await page.getByLabel('Current password').fill('wrong horse');
  await page.getByLabel('New password').fill('battery staple');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('is wrong').waitFor();
  await page.getByLabel('Current password').fill(user.password);
  await page.getByLabel('curl: Change password').click();
  await page.getByText('"current_password":"…"').waitFor();
  await page.getByRole('button', { name: 'Change password', exact: true }).click();
  await page.getByText('Password changed').waitFor();
  const session = await new HttpClient(program, { cookie: other }).get('/api/auth/session');
  assert.equal(session.status, 401);
});

test('the theme is chosen and kept; signing out leaves nothing', async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/manage/you', { colorScheme: 'light' });
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.getByRole('group', { name: 'Appearance' }).getByText('Dark').click();
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload();
  await page.getByRole('heading', { name: 'You' }).waitFor();
  assert.equal(await background(), dark);
  await page.getByRole('group', { name: 'Appearance' }).getByText('Automatic').click();
  assert.equal(await background(), light);
  await page.getByRole('button', { name: 'Personal' }).click();
  await page.locator('.team-menu').getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  assert.equal(await page.getByText('Your session has ended').count(), 0);
  assert.equal((await new HttpClient(program, { cookie: user.cookie }).get('/api/auth/session')).status, 401);
});

test('every page has a place in the navigation, and the way back leads to the mail', async () => {
  const user = await createUser(program);
  const mail = `/mail/${user.account.id}/${user.inbox}`;
  await using page = await openPage(program, user, mail);
  await page.goto('/manage/nonsense');
  await page.getByText('No page at /manage/nonsense').waitFor();
  assert.equal(await page.title(), 'Nothing here · Sandpost');
  assert.equal(await page.getByRole('navigation', { name: 'Manage' }).locator('[aria-current]').count(), 0);
  await page.getByRole('link', { name: 'Go to Domains' }).click();
  await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
  for (const name of ['Accounts', 'API keys', 'Compose', 'Connect', 'You', 'Domains']) {
    await page.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name }).click();
    const heading = name === 'Connect' ? 'Connect an application' : name;
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  }
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'You' }).waitFor();
  await page.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name: 'Mail' }).click();
  await until(() => new URL(page.url()).pathname.startsWith('/mail'));
});
