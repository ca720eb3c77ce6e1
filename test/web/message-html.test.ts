import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';
import { withoutChromium } from './support/browser.ts';
import { openPage } from './support/web-page.ts';

const options = { skip: withoutChromium };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Web server that serves images, and notes the path and referrer of each request. */
const asked: string[] = [];
const remote = createServer((request, response) => {
  asked.push(`${request.url} from ${request.headers.referer ?? 'nowhere'}`);
  response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(pixel, 'base64'));
});

let mail: MailProgram;
let host: string;
before(async () => {
  mail = await startMailProgram();
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(remote.address() as AddressInfo).port}`;
});
after(async () => {
  await mail.stop();
  remote.closeAllConnections();
  remote.close();
});

async function openHtml(html: string, more: string[] = [], colorScheme: 'light' | 'dark' = 'light') {
  const fields = ['From: a@example.com', `To: ${mail.user.address}`, 'Subject: Styled', 'MIME-Version: 1.0'];
  const parts = [`Content-Type: text/html; charset=utf-8\r\n\r\n${html}`, ...more].map(
    (part) => `--b\r\n${part}`,
  );
  const raw = `${fields.join('\r\n')}\r\nContent-Type: multipart/related; boundary=b\r\n\r\n${parts.join('\r\n')}\r\n--b--\r\n`;
  const id = await deliverOne(mail.program, { to: mail.user.address, raw });
  const opened = await openPage(mail.program, mail.user, `/mail/all/${id}`, { colorScheme });
  await opened.page.locator('.message-frame').waitFor();
  return { ...opened, frame: opened.page.frameLocator('.message-frame') };
}

test('styles and images of its own are shown, on white, whatever the page is on', options, async () => {
  await using opened = await openHtml(
    '<html><head><style><!-- .a { color: rgb(1, 2, 3) } --></style></head><body><p class=a>Hello</p><img id=own src="cid:logo%40x"><p id=bg style="background:url(cid:logo@x)">x</p></body></html>',
    [`Content-Type: image/png\r\nContent-ID: <logo@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n${pixel}`],
    'dark',
  );
  const { frame, page } = opened;
  const hello = frame.getByText('Hello');
  assert.equal(await hello.evaluate((element) => getComputedStyle(element).color), 'rgb(1, 2, 3)');
  const own = frame.locator('#own');
  await until(() => own.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 1));
  assert.match((await own.getAttribute('src')) ?? '', /^data:image\/png;base64,/);
  assert.match((await frame.locator('#bg').getAttribute('style')) ?? '', /url\("data:image\/png/);
  const look = await page.locator('.message-frame').evaluate((frame) => {
    const { backgroundColor, colorScheme } = getComputedStyle(frame);
    return { backgroundColor, colorScheme, sandbox: frame.getAttribute('sandbox') };
  });
  const sandbox = 'allow-popups allow-popups-to-escape-sandbox';
  assert.deepEqual(look, { backgroundColor: 'rgb(255, 255, 255)', colorScheme: 'light', sandbox });
  assert.equal(await page.getByText('held back').count(), 0);
  assert.deepEqual(opened.errors, []);
});

test('images from the web wait until they are asked for, and learn nothing else', options, async () => {
  await using opened = await openHtml(
    `<p>Hi</p><img id=far src="http://${host}/i.png" srcset="http://${host}/s.png 2x"><p style="background:url(http://${host}/b.png)">x</p><img src="http://other.example/x.png"><style>@import "http://${host}/c.css";</style>`,
  );
  const { frame, page } = opened;
  await page.getByText(`3 images from ${host} and other.example held back`).waitFor();
  assert.deepEqual(asked, []);
  await page.getByRole('button', { name: 'Load them' }).click();
  const far = frame.locator('#far');
  await until(() => far.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 1));
  await until(() => asked.length >= 2);
  assert.deepEqual(asked.toSorted(), ['/b.png from nowhere', '/i.png from nowhere']);
  assert.equal(await page.getByText('held back').count(), 0);
});

test('links open in tabs of their own, anchors move within the mail', options, async () => {
  await using opened = await openHtml(
    `<a href="#end">Jump</a> <a href="http://${host}/page">Out</a> <a href="/manage/keys">Ours</a><div style="height:5000px"></div><p id=end>The end</p>`,
  );
  const { frame, page, context } = opened;
  await frame.getByText('Jump').click();
  const isInView = () =>
    frame.getByText('The end').evaluate((element) => element.getBoundingClientRect().top < innerHeight);
  await until(isInView);
  assert.equal(await frame.getByText('Ours').getAttribute('href'), null);
  const out = frame.getByText('Out');
  assert.equal(await out.getAttribute('rel'), 'noopener noreferrer');
  const [popup] = await Promise.all([context.waitForEvent('page'), out.click()]);
  await popup.waitForURL(`http://${host}/page`);
  assert.equal(await popup.evaluate(() => window.opener), null);
  assert.ok(asked.includes('/page from nowhere'));
  assert.equal(page.frames().length, 2);
});

test('the mail is shown as wide as a phone, and scrolls in its frame', options, async () => {
  await using opened = await openHtml('<p>Wide</p><div style="height:9000px"></div>');
  const { page, frame } = opened;
  const width = () => frame.locator('html').evaluate(() => innerWidth);
  const full = await width();
  assert.ok(full > 700, String(full));
  for (const name of ['320', '414', '768']) {
    await page.getByRole('radio', { name }).check({ force: true });
    await until(async () => (await width()) === Number(name));
  }
  await page.getByRole('radio', { name: 'Full width' }).check({ force: true });
  await until(async () => (await width()) === full);
  const room = await page.locator('.message-room').evaluate((room) => room.scrollHeight - room.clientHeight);
  assert.equal(room, 0);
  assert.ok((await frame.locator('html').evaluate((html) => html.scrollHeight)) > 9000);
});

for (const [how, html, stalls] of [
  ['each time in which a short mail is read', '<p>Hello</p>', Number.POSITIVE_INFINITY],
  ['once while a long mail is read', '<p>Hello</p>\r\n'.repeat(5000), 2],
] as const) {
  test(`a machine that stalls ${how} hides nothing`, options, async () => {
    const raw = `From: a@example.com\r\nTo: ${mail.user.address}\r\nSubject: Slow\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${html}`;
    const id = await deliverOne(mail.program, { to: mail.user.address, raw });
    await using opened = await openPage(mail.program, mail.user, '/mail/all');
    const { page } = opened;
    await page.locator('.connection.open').waitFor();
    // Each reading of the clock is a second after the one before.
    await page.evaluate((readings) => {
      const start = performance.now();
      let read = 0;
      performance.now = () => start + 1000 * Math.min(read++, readings);
    }, stalls);
    await page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `/mail/all/${id}/html`);
    await page.locator('.message-frame, .message-none').waitFor();
    assert.equal(await page.locator('.message-frame').count(), 1);
  });
}
