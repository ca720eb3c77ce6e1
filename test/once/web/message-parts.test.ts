import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20"/></svg>';
const pdf = (more: string) =>
  `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R${more}>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n`;
const calendar =
  'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Release\r\nDTSTART:20261224T100000Z\r\nLOCATION:Room 7\r\nEND:VEVENT\r\nEND:VCALENDAR';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const mail = await startMailProgram();
const id: number = await deliverOne(mail.program, {
  from: 'Shop <shop@example.com>',
  to: mail.user.address,
  subject: 'Parts',
  headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  text: 'Your code is 493817.\nSee https://shop.example/verify?t=1, please.\n  indented',
  html: '<p>Your code is 493817. <a href="https://shop.example/verify?t=1">Verify</a></p>',
  attachments: [
    { filename: 'drawing.svg', content: svg, contentType: 'image/svg+xml' },
    { filename: 'invite.ics', content: calendar, contentType: 'text/calendar' },
    { filename: 'page.html', content: '<b>not bold</b>', contentType: 'text/html' },
    { filename: 'quiet.pdf', content: pdf(''), contentType: 'application/pdf' },
    { filename: 'active.pdf', content: pdf('/AA 9 0 R'), contentType: 'application/pdf' },
    { filename: 'data.bin', content: Buffer.from([0, 1, 2]), contentType: 'application/zip' },
  ],
});

async function openTab(tab: string, message = id) {
  const page = await openPage(mail.program, mail.user, `/mail/all/${message}/${tab}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.locator('#tab-panel').waitFor();
  return page;
}

test('text: as it was written, its links to follow, and in monospace', async () => {
  await using page = await openTab('text');
  const text = page.locator('.message-text');
  assert.match((await text.textContent()) ?? '', /please\.\n {2}indented/);
  const link = text.getByRole('link');
  assert.equal(await link.getAttribute('href'), 'https://shop.example/verify?t=1');
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
  await page.getByRole('radio', { name: 'Monospace' }).check({ force: true });
  await until(() => text.evaluate((element) => /mono/i.test(getComputedStyle(element).fontFamily)));
  assert.deepEqual(page.errors, []);
});

test('a message is copied as an assertion, in a file or by curl, and printed alone', async () => {
  await using page = await openTab('text');
  await page.getByRole('button', { name: 'Copy as assertion' }).press('Enter');
  await page.getByRole('button', { name: 'Copy the curl command' }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  assert.match(await copied(), /^curl 'http.*\/api\/assert' .* --json '\{"find":/);
  await page.getByRole('button', { name: 'Copy the file' }).click();
  assert.equal((await ok(mail.user.api.post('/api/assert', JSON.parse(await copied())))).passed, true);
  await page.getByRole('button', { name: 'Copy the lines for Playwright' }).click();
  assert.equal(
    await copied(),
    'const mail = await inbox.wait({ subject: "Parts" });\nexpect(mail.code()).toMatch(new RegExp("^\\\\d{6}$"));\nexpect(mail.link("verify")).toContain("shop.example");',
  );
  await page.keyboard.press('Escape');

  // Connect stores the language.
  await page.goto('/manage/connect');
  await page.getByRole('radio', { name: 'pytest' }).check({ force: true });
  await page.goto(`/mail/all/${id}/text`);
  await page.getByRole('button', { name: 'Copy as assertion' }).click();
  await page.getByRole('button', { name: 'Copy the lines for pytest' }).click();
  assert.match(await copied(), /^assert "shop\.example" in mail\.link\("verify"\)$/m);
  await page.keyboard.press('Escape');

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const shown of ['.message-head', '.message-text']) await page.locator(shown).waitFor();
  for (const hidden of ['.pane-tree', '.pane-list', '.tabs', '.toolbar'])
    await page.locator(hidden).waitFor({ state: 'hidden' });
  const scheme = () => getComputedStyle(document.documentElement).colorScheme;
  assert.equal(await page.evaluate(scheme), 'light');
  assert.deepEqual(page.errors, []);
});

test('headers: in order, filtered by name and value, the envelope beside them', async () => {
  await using page = await openTab('headers');
  // No Kubernetes identifies this program's senders.
  await page.route(`**/api/messages/${id}`, async (route) => {
    const response = await route.fetch();
    const sender = { namespace: 'shop', pod: 'web-1', workload: 'Deployment/web' };
    await route.fulfill({ response, json: { ...(await response.json()), sender } });
  });
  await page.reload();
  const names = () => page.locator('.fields tbody th').allTextContents();
  await page.locator('.fields tbody th').first().waitFor();
  assert.deepEqual((await names()).slice(0, 4), ['Traceparent', 'From', 'To', 'Subject']);
  const filter = page.getByRole('searchbox', { name: 'Filter the header fields' });
  await filter.fill('SHOP@');
  await until(async () => (await names()).join() === 'From');
  await filter.fill('mime-');
  await until(async () => (await names()).join() === 'MIME-Version');
  const envelope = page.getByRole('region', { name: 'Envelope' });
  const facts = (await envelope.textContent()) ?? '';
  assert.match(facts, /Mail fromshop@example.*Recipientsqa@.*127\.0\.0\.1/);
  assert.ok(facts.includes(`Trace${traceId}`), facts);
  assert.ok(facts.includes('Sent byshop/web-1\nDeployment/web'), facts);
});

test('source: every byte, to copy and to save; invalid UTF-8 one character a byte', async () => {
  await using page = await openTab('source');
  const raw = (await mail.raw(id)).toString();
  assert.equal(await page.locator('.source').textContent(), raw);
  await page.getByRole('button', { name: 'Copy the source' }).click();
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())).length > 100);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download', exact: true }).click(),
  ]);
  assert.equal(download.suggestedFilename(), `message-${id}.eml`);
  assert.equal(await readFile(await download.path(), 'utf8'), raw);
  const latin = Buffer.from(`From: a@example.com\r\nTo: ${mail.user.address}\r\n\r\nf\xfcr\r\n`, 'latin1');
  const other = await deliverOne(mail.program, { to: mail.user.address, raw: latin });
  await page.goto(`/mail/all/${other}/source`);
  await page.getByText('Not valid UTF-8').waitFor();
  assert.match((await page.locator('.source').textContent()) ?? '', /für\r?\n$/);
});

test('source: a long one begins to be shown, and is shown whole when asked', async () => {
  const text = `${'0123456789abcdef'.repeat(4)}\r\n`.repeat(6000);
  const long = await deliverOne(mail.program, { to: mail.user.address, text });
  await using page = await openTab('source', long);
  const length = () => page.locator('.source').evaluate((source) => source.textContent.length);
  assert.equal(await length(), 300_000);
  await page.getByRole('button', { name: /Show all/ }).click();
  const whole = (await mail.raw(long)).length;
  await until(async () => (await length()) === whole);
});

test('attachments: facts, previews and downloads', async () => {
  await using page = await openTab('attachments');
  const item = (name: string) => page.locator('.attachment').filter({ hasText: name });
  const sha = createHash('sha256').update(svg).digest('hex');
  assert.match((await item('drawing.svg').textContent()) ?? '', /image\/svg\+xml, \d+ B/);
  await item('drawing.svg').getByRole('button', { name: 'Copy the SHA-256' }).click();
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === sha);
  await page.getByRole('button', { name: 'Preview drawing.svg' }).click();
  const image = page.getByRole('img', { name: 'drawing.svg' });
  await until(() =>
    image.evaluate((shown) => shown instanceof HTMLImageElement && shown.naturalWidth === 30),
  );
  await page.getByRole('button', { name: 'Preview invite.ics' }).click();
  await page.getByText('2026-12-24 10:00 UTC').waitFor();
  await page.getByRole('button', { name: 'Preview page.html' }).click();
  await page.getByText('<b>not bold</b>').waitFor();
  await page.getByRole('button', { name: 'Preview quiet.pdf' }).click();
  const viewer = page.locator('iframe.preview-pdf');
  await viewer.waitFor();
  assert.match((await viewer.getAttribute('src')) ?? '', /^blob:/);
  await page.getByRole('button', { name: 'Preview active.pdf' }).click();
  await page.getByText('This PDF may contain scripts').waitFor();
  assert.equal(await viewer.count(), 1);
  assert.equal(await page.getByRole('button', { name: 'Preview data.bin' }).count(), 0);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download data.bin' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'data.bin');
  assert.deepEqual(await readFile(await download.path()), Buffer.from([0, 1, 2]));
  assert.deepEqual(page.errors, []);
});

test('checks: the audit by severity with what to do, and the header field of the results', async () => {
  await using page = await openTab('checks');
  assert.match((await page.locator('.check-group h2').first().textContent()) ?? '', /^(Fix first|Worth)/);
  const passed = page.getByText('Every line ends with CRLF.');
  assert.equal(await passed.isVisible(), false);
  await page.getByRole('heading', { name: /^Passed/ }).click();
  await passed.waitFor();
  assert.match((await page.locator('.checks pre.source').textContent()) ?? '', /spf=none/);
});

test('codes and links: to copy, to follow, and where they were', async () => {
  await using page = await openTab('text');
  await page.getByRole('button', { name: 'All codes and links' }).press('Enter');
  await page.waitForURL('**/codes');
  const panel = page.getByRole('dialog', { name: 'Codes and links' });
  await panel.getByText('in the text').waitFor();
  await panel.getByRole('button', { name: 'Copy the code 493817' }).click();
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === '493817');
  const link = panel.getByRole('link', { name: 'https://shop.example/verify?t=1' });
  assert.equal(await link.getAttribute('target'), '_blank');
  await panel.getByRole('button', { name: 'Copy the link Verify' }).click();
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())).endsWith('?t=1'));
  await page.keyboard.press('Escape');
  await page.waitForURL('**/text');
  assert.equal(await panel.count(), 0);
});

test('structure: the tree of parts, with their contents', async () => {
  await using page = await openTab('structure');
  const types = await page.locator('.structure code').allTextContents();
  assert.deepEqual(types.slice(0, 5), [
    'multipart/mixed',
    'multipart/alternative',
    'text/plain',
    'text/html',
    'image/svg+xml',
  ]);
  assert.equal(await page.locator('.structure ul ul code').count(), 2);
  await page.locator('.structure').getByText('data.bin').waitFor();
});

test('request: what came by a provider API, indented, and no tab for other mail', async () => {
  const subject = 'By a provider <img src=x onerror=alert(1)>';
  const answer = await fetch(`${mail.program.baseUrl}/providers/sendgrid/v3/mail/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mail.user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      personalizations: [{ to: [{ email: mail.user.address }] }],
      from: { email: 'shop@example.com' },
      subject,
      content: [{ type: 'text/plain', value: 'hello' }],
    }),
  });
  assert.equal(answer.status, 202);
  const { items } = await ok(mail.user.api.get('/api/messages?subject=provider&wait=10'));
  await using page = await openTab('request', items[0].id);
  const panel = page.getByRole('tabpanel');
  await panel.getByText('Received by the SendGrid API').waitFor();
  const shown = (await panel.locator('pre').textContent()) ?? '';
  assert.match(shown, /^POST \/v3\/mail\/send\n/);
  assert.ok(shown.includes(`\n  "subject": ${JSON.stringify(subject)}`), shown);
  assert.ok(!shown.includes(mail.user.key));
  await panel.getByRole('button', { name: 'Copy the request' }).click();
  await until(async () =>
    (await page.evaluate(() => navigator.clipboard.readText())).endsWith('"value":"hello"}]}'),
  );
  assert.deepEqual(page.errors, []);
  await using other = await openTab('source');
  assert.equal(await other.getByRole('radio', { name: 'Request' }).count(), 0);
});
