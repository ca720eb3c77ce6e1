import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { inPage, launchChromium, openContext } from '#test/once/web/support/browser.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';
import { htmlMail } from '#test/tools/web/hostile/hostile-mail.ts';
import { htmlVectors } from '#test/tools/web/hostile/html-vectors.ts';
import { markupVectors } from '#test/tools/web/hostile/markup-vectors.ts';
import { attacker, mark } from '#test/tools/web/hostile/vector.ts';

const dot =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>';

test('a browser test opens a mail: its pictures are shown, its links lead on', inPage, async () => {
  const program = await programOfAll();
  const user = await createUser(program);
  const html = `<h1>Welcome</h1><img id=dot src="cid:dot@x"><p id=bg style="background-image:url(cid:dot@x)">x</p><a href="${program.baseUrl}/livez">Verify</a>`;
  const raw = [
    `From: a@example.com\r\nTo: ${user.address}\r\nSubject: x\r\nMIME-Version: 1.0`,
    'Content-Type: multipart/related; boundary=b\r\n',
    `--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}`,
    `--b\r\nContent-Type: image/svg+xml\r\nContent-ID: <dot@x>\r\n\r\n${dot}`,
    '--b--\r\n',
  ].join('\r\n');
  const id = await deliverOne(program, { to: user.address, raw });
  await using context = await openContext({ extraHTTPHeaders: { 'x-api-key': user.key } });
  const page = await context.newPage();
  await page.goto(`${program.baseUrl}/api/messages/${id}/html?images=inline`);
  assert.equal(await page.getByRole('heading').textContent(), 'Welcome');
  const size = await page
    .locator('#dot')
    .evaluate((image) =>
      image instanceof HTMLImageElement ? [image.naturalWidth, image.naturalHeight] : [],
    );
  assert.deepEqual(size, [40, 30]);
  const ground = await page.locator('#bg').evaluate((element) => getComputedStyle(element).backgroundImage);
  assert.match(ground, /^url\("data:image\/svg\+xml;base64,/);
  await page.getByRole('link').click();
  await page.waitForURL('**/livez');
});

/** Vectors per email. */
const aMail = 4;

test('no vector in HTML runs, or sends a request, as a document of its own', inPage, async () => {
  const mail = await startMailProgram();
  const log = path.join(await temporaryDir(), 'net-log.json');
  const browser = await launchChromium(`--log-net-log=${log}`);
  try {
    const client = await mail.connect();
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-api-key': mail.user.key } });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const deeds: string[] = [];
    // The console shows what the policy refused. A script that ran leaves its mark there.
    context.on('console', (message) => {
      if (message.text().startsWith(`/${mark}:`)) deeds.push(`console: ${message.text()}`);
    });
    context.on('dialog', (dialog) => {
      deeds.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('request', (request) => {
      const url = request.url();
      if (/^https?:/.test(url) && !url.startsWith(`${mail.program.baseUrl}/api/messages/`))
        deeds.push(`request: ${url}`);
    });
    page.on('download', (download) => deeds.push(`download: ${download.url()}`));
    context.on('page', (opened) => deeds.push(`page: ${opened.url()}`));
    const vectors = Object.entries({ ...htmlVectors, ...markupVectors });
    for (let at = 0; at < vectors.length; at += aMail) {
      const some = vectors.slice(at, at + aMail);
      const subject = `From ${some[0]?.[0]}`;
      const reply = await client.send('a@example.com', [mail.user.address], htmlMail(subject, some));
      const [id = 0] = mail.idsOf(reply);
      const before = deeds.length;
      const url = `${mail.program.baseUrl}/api/messages/${id}/html?images=inline`;
      await page.goto(url);
      const dangers = await page.evaluate(
        (bad) => Array.from(document.querySelectorAll(bad), ({ outerHTML }) => outerHTML),
        'script, iframe, object, embed, base, link, form, svg, math, template',
      );
      if (page.url().replace(/#.*/, '') !== url) deeds.push(`went to ${page.url()}`);
      const found = [...deeds.splice(before), ...dangers];
      deeds.push(...found.map((deed) => `${subject}: ${deed}`));
    }
    await client.quit();
    await browser.close();
    assert.deepEqual(deeds, []);
    const network = await readFile(log, 'utf8');
    assert.ok(network.includes(`127.0.0.1:${mail.program.httpPort}`), 'the log of the network is there');
    assert.deepEqual(network.match(new RegExp(`[\\w.-]*${attacker}`, 'g')) ?? [], []);
  } finally {
    await browser.close();
    await mail.stop();
  }
});
