import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { startSampleServer } from '#test/once/web/support/sample-server.ts';
import { openOwnPage, openPage } from '#test/once/web/support/web-page.ts';
import { createUser, ok } from '#test/support/program/user.ts';

/**
 * Takes screenshots of the page. `npm run screenshots` writes the README's and the docs' screenshots into docs/screenshots; `npm run
 * screenshots FOLDER` writes all of them into a folder.
 */
const folder = process.argv[2];
const ofDocs = 'docs/screenshots';

type Shot = {
  name: string;
  at: string;
  dark?: true;
  narrow?: true;
  as?: 'stranger' | 'newcomer';
  ready(page: Page): Promise<unknown>;
};

await using server = await startSampleServer();
const { program, user } = server;
const inbox = `/mail/${user.account.id}/${user.inbox}`;
const idOf = async (subject: string) =>
  (await ok(user.api.get(`/api/messages?subject=${encodeURIComponent(subject)}`))).items[0].id;
const code = await idOf('Confirm your email');
const forged = await idOf('Reset your password');
const newcomer = await createUser(program, { domain: 'ada.test' });
await ok(newcomer.api.delete(`/api/domains/${newcomer.domain.id}`));

const text = (wanted: string) => (page: Page) => page.getByText(wanted).first().waitFor();
const openFirst = async (page: Page) => page.locator('.card > summary').first().click();
const mail = (page: Page) => page.frameLocator('.message-frame').getByText('Welcome, Ada').waitFor();

const mailList = (page: Page) => page.locator('.row-subject').first().waitFor();

const shots: Shot[] = [
  { name: 'light', at: `${inbox}/${code}`, ready: mail },
  { name: 'dark', at: `${inbox}/${forged}/checks`, dark: true, ready: text('clients show everything') },
  { name: 'dark-message', at: `${inbox}/${code}`, dark: true, ready: mail },
  { name: 'full', at: '/mail/all', ready: text('Payment received') },
  { name: 'filtered', at: '/mail/all?unread=true', ready: text('Payment received') },
  { name: 'dark-flagged', at: '/mail/all?is_flagged=true', dark: true, ready: mailList },
  { name: 'narrow-filtered', at: '/mail/all?has_attachments=true', narrow: true, ready: mailList },
  { name: 'nothing', at: `${inbox}?unread=true&is_flagged=true&q=nowhere`, ready: text('Nothing matches') },
  { name: 'search', at: `/mail/all?q=${encodeURIComponent('northwind code')}`, ready: text('sign-in code') },
  { name: 'narrow-list', at: inbox, narrow: true, ready: text('Confirm your email') },
  { name: 'narrow-message', at: `${inbox}/${code}`, narrow: true, ready: mail },
  { name: 'empty', at: '/', as: 'newcomer', ready: text('Where should mail go?') },
  { name: 'sign-in', at: '/', as: 'stranger', dark: true, ready: text('Register') },
  { name: 'manage', at: '/manage/accounts', ready: openFirst },
  { name: 'connect', at: '/manage/connect', ready: text('curl smtp://') },
];

for (const { name, at, dark, narrow, as, ready } of shots) {
  if (folder === undefined && name !== 'light' && name !== 'dark') continue;
  const who = as === 'stranger' ? null : as === 'newcomer' ? newcomer : user;
  await using page = await openPage(program, who, at, {
    viewport: narrow ? { width: 390, height: 800 } : { width: 1400, height: 860 },
    colorScheme: dark ? 'dark' : 'light',
  });
  await ready(page);
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`) });
  else await writeFile(`${ofDocs}/${name}.webp`, await webp(page));
}

/** Takes the README's main screenshot: list rows with the data extracted from each email. */
async function takeRows(): Promise<void> {
  await using page = await openOwnPage(program, user, '/mail/all', {
    viewport: { width: 900, height: 860 },
    deviceScaleFactor: 1.5,
  });
  const rows = page.getByRole('option');
  await mailList(page);
  const [first, last] = [await rows.first().boundingBox(), await rows.nth(3).boundingBox()];
  if (first === null || last === null) throw new Error('the list has no four rows');
  const clip = { ...first, height: last.y + last.height - first.y };
  await page.screenshot({ path: path.join(folder ?? ofDocs, 'rows.png'), clip });
}
await takeRows();

/** Takes a WebP screenshot, a third of a PNG's size for pages full of text. Playwright has no such format. */
async function webp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 });
  return Buffer.from(data, 'base64');
}

process.exit(0);
