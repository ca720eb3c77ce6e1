import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openOwnPage } from '#test/once/web/support/web-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { shortest } from '#test/support/runner/shortest.ts';

/** Maximum time in ms that an email may keep the page from responding. */
const longestTaskMs = 1000;

const mime = (type: string, body: string, ...fields: string[]) =>
  [`Content-Type: ${type}; charset=utf-8`, ...fields, '', body].join('\r\n');
const lines = (text: string) => text.replace(/.{900}/gs, '$&\r\n');
const html = (body: string) => mime('text/html', body);
const text = (body: string) => mime('text/plain', body);
const calendar = (...rows: string[]) =>
  mime(
    'text/calendar',
    ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'SUMMARY:Meet', ...rows, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n'),
    'Content-Disposition: attachment; filename=a.ics',
  );

/** Emails that are slow to display if part of them is read more than once, or rendered completely. */
const mails: Record<string, { tab: string; mail: string }> = {
  'spaces in a style': { tab: 'html', mail: html(`<p style='content: "url(${' '.repeat(20_000)}"'>x</p>`) },
  'spaces in a sheet': {
    tab: 'html',
    mail: html(`<style>p { content: "url(${' '.repeat(20_000)}" }</style><p>x</p>`),
  },
  'URLs without an end in a custom property': {
    tab: 'html',
    mail: html(`<p style="--x: '${'url('.repeat(50_000)}'">x</p>`),
  },
  'elements that are never closed': { tab: 'html', mail: html(lines('<b>'.repeat(300_000))) },
  'elements that are closed within comments': {
    tab: 'html',
    mail: html(lines('<i><!--</i>--><u title="</u>">'.repeat(30_000))),
  },
  'tables in tables': { tab: 'html', mail: html(lines('<table><tr><td>'.repeat(50_000))) },
  'many images': { tab: 'html', mail: html(lines('<img src=//a.test/x>'.repeat(20_000))) },
  'many styled elements': { tab: 'html', mail: html(lines('<p style="color:red">'.repeat(20_000))) },
  'many Content-IDs': { tab: 'html', mail: html(lines('<img src=cid:x>'.repeat(20_000))) },
  'closing brackets behind a URL': { tab: 'text', mail: text(`http://a/${')'.repeat(30_000)}`) },
  'dots behind a URL': { tab: 'text', mail: text(`http://a/${'.'.repeat(100_000)}x`) },
  'many URLs': { tab: 'text', mail: text(lines('http://a/ '.repeat(50_000))) },
  'a text of control characters': { tab: 'text', mail: text(lines('\x01'.repeat(3_000_000))) },
  'combining characters': { tab: 'text', mail: text(lines('\u0301\u0489'.repeat(100_000))) },
  'thousands of guests': {
    tab: 'attachments',
    mail: calendar(...Array.from({ length: 20_000 }, (_, at) => `ATTENDEE:mailto:p${at}@example.com`)),
  },
  'thousands of parameters': { tab: 'attachments', mail: calendar(`SUMMARY${';CN="a'.repeat(50_000)}`) },
  'thousands of header fields': {
    tab: 'headers',
    mail: [...Array.from({ length: 5000 }, (_, at) => `X-${at}: ${'v'.repeat(150)}`), text('x')].join('\r\n'),
  },
  'a header field of half a megabyte': {
    tab: 'headers',
    mail: [`X-Long: ${lines('v '.repeat(250_000)).replaceAll('\r\n', '\r\n ')}`, text('x')].join('\r\n'),
  },
  'thousands of recipients': {
    tab: 'text',
    mail: [
      `Cc: ${Array.from({ length: 5000 }, (_, at) => `p${at}@example.com`).join(',\r\n ')}`,
      text('x'),
    ].join('\r\n'),
  },
};

const program = await forAllTests(startMailProgram({}));

for (const [name, { tab, mail }] of Object.entries(mails)) {
  test(`${name}: the page stays usable`, async () => {
    const client = await program.connect();
    const raw = `From: a@example.com\r\nTo: ${program.user.address}\r\nSubject: ${name}\r\nMIME-Version: 1.0\r\n${mail}\r\n`;
    const reply = await client.send('a@example.com', [program.user.address], raw);
    await client.quit();
    const [id] = program.idsOf(reply);
    const longest = await shortest(longestTaskMs, async () => {
      await using page = await openOwnPage(program.program, program.user, '/mail/all');
      await page.locator('.connection.open').waitFor();
      await page.evaluate(watchTasks);
      await page.evaluate((to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
      }, `/mail/all/${id}/${tab}`);
      await page.locator('.message h1', { hasText: name }).waitFor();
      const shown = tab === 'attachments' ? 'source' : tab;
      await page.locator(`#tab-panel.tab-${shown}:not(:has([aria-busy=true]))`).waitFor();
      if (tab === 'attachments') {
        await page.locator('#tab-panel').getByRole('button', { name: 'Preview' }).first().click();
        await page.locator('.calendar, .preview .source, pre.source').first().waitFor();
      }
      // The page still responds: the list is rendered, and a key closes the message.
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.pane-message').waitFor({ state: 'detached' });
      assert.equal(await page.getByText("can't be displayed").count(), 0);
      return await page.evaluate(() => Number(Reflect.get(window, 'longestTask')));
    });
    assert.ok(longest < longestTaskMs, `a task took ${longest} ms`);
  });
}

/** Starts recording the page's longest task. */
function watchTasks(): void {
  Reflect.set(window, 'longestTask', 0);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      Reflect.set(window, 'longestTask', Math.max(duration, Reflect.get(window, 'longestTask')));
  }).observe({ entryTypes: ['longtask'] });
}
