import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';

const mail = await startMailProgram();

test('the checks show the clients of most people, the worst first, each feature with its line and its page', async () => {
  const html =
    '<!doctype html>\n<html><body>\n<p>Hello</p>\n<div style="display:flex">Box</div>\n</body></html>';
  const id = await deliverOne(mail.program, { to: mail.user.address, text: 'Hello Box', html });
  await using page = await openPage(mail.program, mail.user, `/mail/all/${id}`);
  const asked: string[] = [];
  page.on('request', (request) => /\/checks$/.test(request.url()) && asked.push(request.url()));
  await page.locator('.message-frame').waitFor();
  assert.deepEqual(asked, []);
  await page.getByRole('tab', { name: 'Checks' }).click();
  const clients = page.getByRole('list', { name: 'Clients', exact: true });
  await clients.waitFor();
  assert.equal(asked.length, 1);
  const section = page.getByRole('region', { name: 'Mail clients' });
  assert.match((await section.textContent()) ?? '', /\d+%supported, \d+ of \d+ clients show everything\./);
  await page.locator('summary', { hasText: /^\d+ other clients$/ }).waitFor();
  await page.locator('.check-group').filter({ hasText: 'Worth fixing' }).getByText('lang').first().waitFor();

  const missing = await clients
    .locator('summary')
    .evaluateAll((rows) => rows.map((row) => Number(/(\d+) missing/.exec(row.textContent)?.[1] ?? 0)));
  assert.ok(missing.length > 2 && (missing[0] ?? 0) > 0);
  assert.deepEqual(
    missing,
    missing.toSorted((a, b) => b - a),
  );
  await clients.locator('summary', { hasText: 'Outlook Windows' }).press('Enter');
  const feature = clients.getByRole('listitem').filter({ hasText: 'display:flex' }).last();
  const link = feature.getByRole('link', { name: 'display:flex', exact: true });
  assert.equal(await link.getAttribute('href'), 'https://www.caniemail.com/features/css-display-flex/');
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
  await feature.getByRole('link', { name: 'line 4 of the HTML' }).press('Enter', { delay: 100 });
  await page.locator('.markup .wanted', { hasText: '<div style="display:flex">Box</div>' }).waitFor();
  assert.deepEqual(page.errors, []);
});

test('a finding leads to its line, and a feature of a long line to its row', async () => {
  const styles =
    '<style>p{color:#111}</style><style>@media (prefers-color-scheme:dark){p{color:#eee}}</style>';
  const html = `<!doctype html><html lang="en"><head>${styles}</head>\n<body><p>Hello</p><img src="https://shop.example/a.png"></body></html>`;
  const id = await deliverOne(mail.program, { to: mail.user.address, text: 'Hello', html });
  await using page = await openPage(mail.program, mail.user, `/mail/all/${id}/checks`);
  const fixes = page.locator('.check-group').filter({ hasText: 'Worth fixing' });
  await fixes
    .getByRole('link', { name: /^line 2 of the HTML/ })
    .first()
    .click({ delay: 100 });
  await page.locator('.markup .wanted', { hasText: 'Hello' }).waitFor();
  await page.goto(`/mail/all/${id}/checks`);
  const clients = page.getByRole('list', { name: 'Clients', exact: true });
  await clients.locator('summary', { hasText: 'Gmail web' }).click({ delay: 100 });
  const feature = page.locator('.features > li').filter({ hasText: 'prefers-color-scheme' }).first();
  await feature.getByRole('link', { name: /^line 1 of the HTML/ }).click({ delay: 100 });
  await page.locator('.markup .wanted', { hasText: '@media' }).waitFor();
  assert.deepEqual(page.errors, []);
});

test('the number of the tab is that of what to fix first, before and after it is opened', async () => {
  const html = '<p>Hello</p><img src="https://shop.example/a.png">';
  const raw = [
    'From: a@shop.example',
    `To: ${mail.user.address}`,
    'List-Unsubscribe: <https://shop.example/u>',
    'Content-Type: text/html',
  ];
  const id = await deliverOne(mail.program, {
    to: mail.user.address,
    raw: [...raw, '', html].join('\r\n'),
  });
  await using page = await openPage(mail.program, mail.user, `/mail/all/${id}`);
  const counted = page.getByRole('tab', { name: /^Checks/ }).locator('.tab-count');
  const before = Number(await counted.textContent());
  await page.getByRole('tab', { name: /^Checks/ }).click();
  await page.locator('.check-group').filter({ hasText: 'Worth fixing' }).waitFor();
  const first = page.locator('.check-group').first();
  assert.match((await first.locator('h2').textContent()) ?? '', /^Fix first/);
  const graves = await first.locator('li').evaluateAll((all) => all.map(({ className }) => className));
  assert.ok(graves.length > 1 && graves[0] === 'remark danger' && graves.at(-1) === 'remark warning');
  assert.deepEqual(graves, graves.toSorted());
  assert.deepEqual([before, Number(await counted.textContent())], [graves.length, graves.length]);
  // Each fact appears once. Local mail lacks results, which is not a fault.
  const titles = await page.locator('.checks .remark strong').allTextContents();
  assert.equal(titles.filter((title) => /text/i.test(title) && /HTML/.test(title)).length, 1);
  assert.equal(titles.filter((title) => /one-click unsubscribe/i.test(title)).length, 1);
  assert.ok(!titles.some((title) => /^(SPF|No DKIM|DMARC)/.test(title)));
});

test('an owner chooses the clients of the team once, and other messages are checked for them', async () => {
  const [first, second] = [
    await deliverOne(mail.program, { to: mail.user.address, html: '<p style="display:flex">One</p>' }),
    await deliverOne(mail.program, { to: mail.user.address, html: '<p>Two</p>' }),
  ];
  await using page = await openPage(mail.program, mail.user, `/mail/all/${first}/checks`);
  await page.getByRole('button', { name: 'Choose clients' }).click();
  const dialog = page.getByRole('dialog', { name: 'Clients your team checks' });
  const ticks = dialog.getByRole('checkbox');
  assert.equal(await ticks.count(), await dialog.getByRole('checkbox', { checked: true }).count());
  const labels = await dialog.locator('label').allTextContents();
  assert.deepEqual(labels.slice(0, 3).toSorted(), ['Apple Mail', 'Gmail', 'Outlook']);
  for (const tick of await ticks.all()) await tick.press('Space');
  assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled());
  await dialog.getByRole('checkbox', { name: 'Gmail' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^supported, \d of 4 clients show everything\./).waitFor();
  await page.goto(`/mail/all/${second}/checks`);
  await page.getByText(/of 4 clients show everything\./).waitFor();
  await page.getByRole('button', { name: 'Choose clients' }).press('Enter');
  for (const tick of await ticks.all()) await tick.check();
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText(/of \d\d clients show everything\./).waitFor();
  assert.deepEqual(page.errors, []);
});

test('a mail is judged with another client address and records that are assumed', async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, from: 'a@shop.example', text: 'Hello' });
  await using page = await openPage(mail.program, mail.user, `/mail/all/${id}/checks`);
  await page.locator('summary', { hasText: 'Would it pass in production?' }).press('Enter');
  const address = page.getByLabel('Sending IP address');
  // The domain is prefilled.
  assert.match(await page.getByLabel('DNS records').inputValue(), /^_dmarc\.shop\.example TXT v=DMARC1;/m);
  await address.pressSequentially('nowhere', { delay: 100 });
  await address.press('Enter');
  await page.getByText('must be an IP address').waitFor();
  assert.ok(await address.evaluate((field) => field === document.activeElement));
  await address.fill('203.0.113.7');
  await page.getByLabel('Envelope sender').fill('a@shop.example');
  await page
    .getByLabel('DNS records')
    .fill('shop.example TXT v=spf1 ip4:203.0.113.7 -all\n_dmarc.shop.example. IN TXT "v=DMARC1; p=reject"');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  const results = page.getByRole('region', { name: 'Result with these values' });
  await results.waitFor();
  assert.deepEqual(await results.locator('.badge.tone').allTextContents(), [
    'SPF pass',
    'DKIM none',
    'DMARC pass',
  ]);
  // The form keeps its values for the next attempt.
  assert.equal(await address.inputValue(), '203.0.113.7');
});

test('links are checked when asked, or a sentence says which setting allows it', async () => {
  const server = createServer((request, response) =>
    response.writeHead(request.url === '/gone' ? 410 : 200).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.80.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const zones = { 'app.example': { A: ['127.80.0.1'] } };
  await using _ = { [Symbol.asyncDispose]: async () => void server.close() };
  const open = await startMailProgram({ SANDPOST_OUTBOUND_NETWORKS: '127.80.0.0/16' }, zones);
  const checked = async ({ program, user }: typeof open) => {
    const text = ['/', '/gone', '/verify?t=1'].map((path) => `http://app.example:${port}${path}`).join('\n');
    const id = await deliverOne(program, { to: user.address, text });
    const page = await openPage(program, user, `/mail/all/${id}/checks`);
    await page.getByRole('button', { name: 'Check 3 links' }).press('Enter');
    return page;
  };
  try {
    await using page = await checked(open);
    const links = page.getByRole('region', { name: 'Links' }).getByRole('listitem');
    await links.first().waitFor();
    const [ok = '', gone = '', acts = ''] = await links.allTextContents();
    assert.match(ok, /^200 http.*\/ $/);
    assert.match(gone, /^410 /);
    assert.match(acts, /^none .*Not requested: it verifies or confirms something$/);
    assert.deepEqual(page.errors, []);
  } finally {
    await open.stop();
  }
  await using off = await checked(mail);
  await off.getByRole('alert').filter({ hasText: 'Set SANDPOST_OUTBOUND=public to allow it' }).waitFor();
});
