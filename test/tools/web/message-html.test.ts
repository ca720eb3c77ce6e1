import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Web server that serves images, and records each request's path and referrer. */
const asked: string[] = [];
const remote = createServer((request, response) => {
  const { referer = 'nowhere', cookie } = request.headers;
  asked.push(`${request.url} from ${referer}${cookie ? ` with ${cookie}` : ''}`);
  if (request.url?.startsWith('/gone')) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(pixel, 'base64'));
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
  const page = await openPage(mail.program, mail.user, `/mail/all/${id}`, { colorScheme });
  await page.locator('.message-frame').waitFor();
  return page;
}

test('styles and images of its own are shown, on white, whatever the page is on', async () => {
  await using page = await openHtml(
    '<html><head><style><!-- .a { color: rgb(1, 2, 3) } --></style></head><body><p class=a>Hello</p><img id=own src="cid:logo%40x"><p id=bg style="background:url(cid:logo@x)">x</p></body></html>',
    [`Content-Type: image/png\r\nContent-ID: <logo@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n${pixel}`],
    'dark',
  );
  const frame = page.frameLocator('.message-frame');
  const hello = frame.getByText('Hello');
  assert.equal(await hello.evaluate((element) => getComputedStyle(element).color), 'rgb(1, 2, 3)');
  const style = (selector: string, name: string) =>
    frame
      .locator(selector)
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);
  assert.match(await style('#own', 'content'), /^url\("data:image\/png;base64,/);
  assert.match(await style('#bg', 'background-image'), /^url\("data:image\/png/);
  const look = await page.locator('.message-frame').evaluate((frame) => {
    const { backgroundColor, colorScheme } = getComputedStyle(frame);
    return { backgroundColor, colorScheme, sandbox: frame.getAttribute('sandbox') };
  });
  const sandbox = 'allow-popups allow-popups-to-escape-sandbox';
  assert.deepEqual(look, { backgroundColor: 'rgb(255, 255, 255)', colorScheme: 'light', sandbox });
  assert.equal(await page.getByRole('button', { name: /^Load \d/ }).count(), 0);
  assert.deepEqual(page.errors, []);
});

test('a picture that a mail shows many times is there once, in its own size, or the size asked for', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="lime"/><!--${'x'.repeat(25_000)}--></svg>`;
  const part = `Content-Type: image/svg+xml\r\nContent-ID: <dot@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(svg).toString('base64').replace(/.{76}/g, '$&\r\n')}`;
  const uses = `<img class=many src="CID:dot%40x">\r\n`.repeat(220);
  await using page = await openHtml(
    `<style>.s{background:url(cid:dot@x) no-repeat}</style>${uses}<img id=wide src="cid:dot@x" width=120 alt="Dot"><table><tr><td id=cell background="cid:dot@x">x</td></tr></table><p class=s>x</p><img id=none src="cid:other@x">`,
    [part],
  );
  const frame = page.frameLocator('.message-frame');
  const sizes = (selector: string) =>
    frame
      .locator(selector)
      .evaluateAll((images) => [
        ...new Set(images.map((image) => `${image.clientWidth}x${image.clientHeight}`)),
      ]);
  await until(async () => (await sizes('.many')).join() === '40x30');
  assert.deepEqual(await sizes('#wide'), ['120x90']);
  for (const selector of ['#cell', '.s']) {
    const image = await frame
      .locator(selector)
      .evaluate((element) => getComputedStyle(element).backgroundImage);
    assert.match(image, /^url\("data:image\/svg/);
  }
  const mark = await frame.locator('#none').evaluate((image) => getComputedStyle(image, '::before').content);
  assert.equal(mark, '"Not in the email "');
  const length = await page
    .locator('.message-frame')
    .evaluate((frame) => frame.getAttribute('srcdoc')?.length ?? 0);
  assert.ok(length < 150_000, `${length} characters`);
  assert.deepEqual(page.errors, []);
});

test('images from the web wait until they are asked for, and learn nothing else', async () => {
  await using page = await openHtml(
    `<p>Hi</p><img id=far src="http://${host}/i.png" srcset="http://${host}/s.png 2x"><p style="background:url(http://${host}/b.png)">x</p><img src="http://other.example/x.png"><style>@import "http://${host}/c.css";</style>`,
  );
  const frame = page.frameLocator('.message-frame');
  await page.getByTitle(`3 images from ${host} and other.example`).waitFor();
  assert.deepEqual(asked, []);
  await page.getByRole('button', { name: 'Load 3 images' }).click();
  const far = frame.locator('#far');
  await until(() => far.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 1));
  await until(() => asked.length >= 2);
  assert.deepEqual([...new Set(asked)].toSorted(), ['/b.png from nowhere', '/i.png from nowhere']);
  assert.equal(await page.getByRole('button', { name: /^Load \d/ }).count(), 0);
});

test('images that cannot be loaded are counted with their hosts, and marked where they belong', async () => {
  const before = asked.length;
  await using page = await openHtml(
    `<img id=ok src="http://${host}/ok.png"><img id=gone src="http://${host}/gone.png" width=200 height=60><img src="http://${host}/gone.png" alt="A lamp"><p style="background:url(http://127.0.0.1:1/b.png)">x</p><img src="http://${host}/gone-pixel.png?open=1" width="1" height="1">`,
  );
  const frame = page.frameLocator('.message-frame');
  await page.getByTitle(`5 images from ${host} and 127.0.0.1:1`).waitFor();
  assert.equal(asked.length, before);
  await page.getByRole('button', { name: 'Load 5 images' }).click();
  await page.getByText(`3 images from ${host} and 127.0.0.1:1 could not be loaded`).waitFor();
  const mark = (id: string) =>
    frame.locator(id).evaluate((image) => getComputedStyle(image, '::before').content);
  assert.equal(await mark('#gone'), '"Not loaded "');
  const box = await frame.locator('#gone').boundingBox();
  assert.deepEqual([box?.width, box?.height], [200, 60]);
  await until(() => asked.some((path) => path.startsWith('/gone-pixel')));
  // A tracking pixel is requested once, and no request to this host carries the session cookie.
  const paths = asked.slice(before);
  assert.equal(paths.filter((path) => path.startsWith('/gone-pixel')).length, 1);
  const unexpected = paths.filter((path) => !path.endsWith(' from nowhere'));
  assert.deepEqual(unexpected, []);
  assert.deepEqual(
    page.errors.filter((error) => !/404|ERR_UNSAFE_PORT/.test(error)),
    [],
  );
});

test('the frame that checks images has an opaque origin, and shows nothing of a mail', async () => {
  const { headers, text } = await fetch(`${mail.program.baseUrl}/image-check`).then(async (answer) => ({
    headers: answer.headers,
    text: await answer.text(),
  }));
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(
    policy,
    /^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[\w+/=]+'; img-src http: https:;/,
  );
  assert.match(policy, /frame-ancestors 'self'$/);
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.ok(text.length < 600, text);
});

test('links open in tabs of their own, anchors move within the mail', async () => {
  await using page = await openHtml(
    `<a href="#end">Jump</a> <a href="http://${host}/page">Out</a> <a href="/manage/keys">Ours</a><div style="height:5000px"></div><p id=end>The end</p>`,
  );
  const context = page.context();
  const frame = page.frameLocator('.message-frame');
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

test('the mail is shown as wide as a phone, and scrolls in its frame', async () => {
  await using page = await openHtml('<p>Wide</p><div style="height:9000px"></div>');
  const frame = page.frameLocator('.message-frame');
  const width = () => frame.locator('html').evaluate(() => innerWidth);
  const full = await width();
  assert.ok(full > 700, String(full));
  const field = page.getByRole('spinbutton', { name: 'Email width in pixels' });
  for (const wanted of ['320', '475']) {
    await field.press('Control+a', { delay: 100 });
    await field.pressSequentially(wanted, { delay: 150 });
    await until(async () => (await width()) === Number(wanted));
  }
  await field.press('Control+a', { delay: 100 });
  await field.press('Delete', { delay: 100 });
  await until(async () => (await width()) === full);
  const room = await page.locator('.message-room').evaluate((room) => room.scrollHeight - room.clientHeight);
  assert.equal(room, 0);
  assert.ok((await frame.locator('html').evaluate((html) => html.scrollHeight)) > 9000);
});

for (const [how, html, stalls] of [
  ['each time in which a short mail is read', '<p>Hello</p>', Number.POSITIVE_INFINITY],
  ['once while a long mail is read', '<p>Hello</p>\r\n'.repeat(5000), 2],
] as const) {
  test(`a machine that stalls ${how} hides nothing`, async () => {
    const raw = `From: a@example.com\r\nTo: ${mail.user.address}\r\nSubject: Slow\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${html}`;
    const id = await deliverOne(mail.program, { to: mail.user.address, raw });
    await using page = await openPage(mail.program, mail.user, '/mail/all');
    await page.locator('.connection.open').waitFor();
    // Each clock reading is one second after the previous.
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

test('text typed into a field of a mail, or after a click beside it, is no shortcut', async () => {
  const fields = {
    input: '<input placeholder="Your name">',
    textarea: '<textarea>Comment</textarea>',
    select: '<select><option>One<option>Two</select>',
    '[data-editable]': '<p contenteditable data-editable>Write here</p><input type=email>',
    p: '<p>Beside the field</p><input disabled value="Not now">',
    'input[disabled]': '<input disabled value="Not now">',
  };
  for (const [selector, html] of Object.entries(fields)) {
    await deliverOne(mail.program, { to: mail.user.address, subject: 'Older' });
    await using page = await openHtml(`<div style="padding:20px">${html}</div>`);
    const frame = page.frameLocator('.message-frame');
    await page.getByRole('option').nth(1).waitFor();
    const { href } = new URL(page.url());
    await frame.locator(selector).click({ force: true });
    await page.keyboard.type('hello me', { delay: 20 });
    if (selector === 'input') assert.equal(await frame.locator('input').inputValue(), 'hello me');
    // Clicking the list returns the keys to it.
    await page.locator('.list-head h1').click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    assert.equal(page.url(), href, selector);
    assert.equal(await page.getByText(/deleted|selected/).count(), 0, selector);
  }
});

test('the keys come back from a mail with boxes and buttons alone', async () => {
  await using page = await openHtml('<input type=checkbox><input type=button value=Go><button>On</button>');
  const frame = page.frameLocator('.message-frame');
  for (const role of ['checkbox', 'button'] as const) {
    await frame.getByRole(role).first().click();
    await until(() => page.evaluate(() => document.activeElement?.localName !== 'iframe'));
  }
});
