import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPage } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await forAllTests(startMailProgram());

test(
  'the checks show the clients of most people, the worst first, each feature with its line and its page',
  inPage,
  async () => {
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
    await page.getByText(/^\d+ % supported\. \d+ of \d+ clients show everything\./).waitFor();
    await page.locator('summary', { hasText: /^\d+ other clients$/ }).waitFor();
    // Findings in the content stand among the checks of the audit.
    await page.locator('.check-group').filter({ hasText: 'lang' }).first().waitFor();

    // The tab counts the critical checks and the warnings that it shows.
    const problems = await page.locator('.check-group:is(.danger, .warning) h2 .tab-count').allTextContents();
    const sum = problems.reduce((all, many) => all + Number(many), 0);
    const counted = page.getByRole('tab', { name: /^Checks/ }).locator('.tab-count');
    await until(async () => Number(await counted.textContent()) === sum);

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
    const link = feature.getByRole('link', { name: 'display:flex' });
    assert.equal(await link.getAttribute('href'), 'https://www.caniemail.com/features/css-display-flex/');
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
    await feature.getByRole('button', { name: 'line 4 of the HTML' }).press('Enter', { delay: 100 });
    assert.equal(
      await feature.locator('.excerpt-line.wanted').textContent(),
      '4<div style="display:flex">Box</div>',
    );
    assert.deepEqual(page.errors, []);
  },
);

test('a mail without HTML says so, and a failed reading is tried again', inPage, async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, text: 'Plain' });
  await using page = await openPage(mail.program, mail.user, `/mail/all/${id}`);
  const path = `**/api/messages/${id}/checks`;
  const detail = 'The checks are busy';
  await page.route(path, (route) =>
    route.fulfill({ status: 503, json: { status: 503, title: detail, code: 'busy', detail } }),
  );
  await page.getByRole('tab', { name: 'Checks' }).click();
  await page.getByRole('alert').filter({ hasText: detail }).waitFor();
  await page.unroute(path);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('This message has no HTML to check').waitFor();
});

test('a mail is judged with another client address and records that are assumed', inPage, async () => {
  const id = await deliverOne(mail.program, { to: mail.user.address, from: 'a@shop.example', text: 'Hello' });
  await using page = await openPage(mail.program, mail.user, `/mail/all/${id}/checks`);
  await page.locator('summary', { hasText: 'Would it pass in production?' }).press('Enter');
  const address = page.getByLabel('Sent from the address');
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
  const results = page.getByRole('region', { name: 'With these facts' });
  await results.waitFor();
  const cells = results.getByRole('row').filter({ hasText: /SPF|DMARC/ });
  assert.match((await cells.allTextContents()).join(), /SPFpassshop\.example.*DMARCpassshop\.example/);
  // The form keeps its values, for the next try.
  assert.equal(await address.inputValue(), '203.0.113.7');
});
