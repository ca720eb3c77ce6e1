import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { inPage } from '#test/once/web/support/browser.ts';
import { liveRow, openPage } from '#test/once/web/support/web-page.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';

const { program, user } = await scene();
const mails = Array.from({ length: 30 }, (_, i) => ({ to: user.address, subject: `Mail ${i}` }));
await Promise.all(mails.map((mail) => deliverOne(program, mail)));

const dist = 'api/web/dist';
const bytesOf = (files: string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0);

test('what the page reads at its start is under 85 KB gzip, and with what it reads later under 98 KB', (t) => {
  const html = readFileSync(`${dist}/index.html`, 'utf8');
  const first = [...html.matchAll(/assets\/[\w.-]+/g)].map(([file]) => `${dist}/${file}.gz`);
  const all = globSync(`${dist}/assets/*.gz`);
  const [start, whole] = [bytesOf(first), bytesOf(all)];
  t.diagnostic(`${start} bytes in ${first.length} files, ${whole} in ${all.length}`);
  assert.ok(first.length >= 3);
  assert.ok(start < 85 * 1024, `${start} bytes`);
  assert.ok(whole < 98 * 1024, `${whole} bytes`);
});

test('each document has the one style sheet, which has the styles of code that is read later too', () => {
  const [sheet = '', ...others] = globSync(`${dist}/assets/*.css`).map((file) => path.basename(file));
  assert.deepEqual(others, []);
  for (const file of globSync(`${dist}/*.html`)) assert.ok(readFileSync(file, 'utf8').includes(sheet), file);
});

test('the first list is painted', inPage, async (t) => {
  await using page = await openPage(program, user);
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    await page.reload();
    await liveRow(page, 'Mail');
    // The mark follows the frame that contains the rows.
    await page.waitForFunction(() => performance.getEntriesByName('first-list').length > 0);
    times.push(
      await page.evaluate(() => {
        const { responseStart } = performance.getEntriesByType(
          'navigation',
        )[0] as PerformanceNavigationTiming;
        const painted = performance.getEntriesByName('first-list')[0]?.startTime ?? Number.NaN;
        return Math.round(painted - responseStart);
      }),
    );
  }
  assert.ok(times.every((time) => time > 0));
  t.diagnostic(`painted ${times.join(', ')} ms after the page's first byte`);
});
