import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { type Program, temporaryDir } from '#test/support/program/program.ts';
import type { User } from '#test/support/program/user.ts';
import { launchChromium } from './browser.ts';
import { signIn } from './web-page.ts';

/** Signed-in page that records an email's effects. */
export type HostilePage = AsyncDisposable & {
  page: Page;
  /** Console lines, dialogs, errors, requests to other hosts, pages and downloads, in order. */
  deeds: string[];
  /** Shows a tab of the message whose subject begins with `subject`. */
  show(id: number, subject: string, tab: string): Promise<void>;
  /** Ends the browser and returns its network log, which includes the names that it looked up. */
  close(): Promise<string>;
};

export async function openHostilePage(program: Program, user: User): Promise<HostilePage> {
  const log = path.join(await temporaryDir(), 'net-log.json');
  const browser = await launchChromium(`--log-net-log=${log}`);
  const context = await browser.newContext({
    baseURL: program.baseUrl,
    viewport: { width: 1400, height: 900 },
  });
  context.setDefaultTimeout(60_000);
  await signIn(context, program, user);
  const page = await context.newPage();
  const deeds: string[] = [];
  const ours = new RegExp(`^(${program.baseUrl}/|data:|blob:|about:)`);
  context.on('console', (message) => {
    if (!harmless.test(message.text())) deeds.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => deeds.push(`error: ${error.error()}`));
  context.on('dialog', (dialog) => {
    deeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    if (!ours.test(request.url())) deeds.push(`request: ${request.url()}`);
  });
  context.on('page', (opened) => deeds.push(`page: ${opened.url()}`));
  page.on('download', (download) => deeds.push(`download: ${download.url()}`));
  await page.goto('/mail/all');
  await page.locator('.connection.open').waitFor();
  return {
    page,
    deeds,
    async show(id, subject, tab) {
      const to = `/mail/all/${id}/${tab}`;
      await page.evaluate(opened, { to, subject, tab: panelOf[tab] ?? tab });
      if (tab === 'html') {
        const element = await page.$('.message-frame');
        const frame = await element?.contentFrame();
        assert.ok(frame, `a frame, not: ${await page.locator('#tab-panel').textContent()}`);
        await frame.waitForLoadState('load');
        deeds.push(...(await frame.evaluate(dangers)));
        deeds.push(...frame.childFrames().map((child) => `a frame in the mail: ${child.url()}`));
      }
      deeds.push(...(await page.evaluate(dangers)), ...(await page.evaluate(coverings)));
      if (new URL(page.url()).pathname !== to) deeds.push(`went to ${page.url()}`);
    },
    async close() {
      await browser.close();
      return readFile(log, 'utf8');
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Chromium's messages while the sanitizer parses: the document that it parses into can run and load nothing. */
const harmless =
  /^(Executing inline event handler violates .* directive 'script-src 'self''|Setting the document's base URI |@import rules are not allowed here)/;

/** Tabs for parts that a URL can name. The codes and links are in a dialog over the text. */
const panelOf: Record<string, string> = {
  attachments: 'source',
  structure: 'source',
  transcript: 'source',
  codes: 'text',
};

/** Opens a message's tab. Waits until it is rendered and the tasks that it caused have run. */
async function opened({ to, subject, tab }: { to: string; subject: string; tab: string }): Promise<void> {
  history.pushState(null, '', to);
  dispatchEvent(new PopStateEvent('popstate'));
  const turn = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isThere = () =>
    document.querySelector('.message h1')?.textContent.includes(subject) === true &&
    document.querySelector(`#tab-panel.tab-${tab}:not(:has([aria-busy=true]))`) !== null;
  while (!isThere()) await turn();
  await turn();
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1000 }));
}

/** Finds elements and attributes that can act, in a frame or in the page beyond its own, even if a policy stops them. */
function dangers(): string[] {
  const isMail = location.href === 'about:srcdoc';
  const bad = 'script, iframe, frame, frameset, object, embed, base, link, form, meta, svg, math, template';
  const ours = isMail
    ? 'head > meta:nth-of-type(-n+6)'
    : 'script[src^="/assets/"], link[href^="/assets/"], meta, svg:not(.message-frame svg), iframe, .assumed > form';
  return Array.from(document.querySelectorAll('*')).flatMap((element) => {
    const where = `${element.localName} in ${isMail ? 'the mail' : location.pathname}`;
    const is = (selector: string) => Element.prototype.matches.call(element, selector);
    // A form can hide DOM methods behind fields with their names.
    const names = Element.prototype.getAttributeNames.call(element);
    const acts = names
      .map((name) => ({ name, value: Element.prototype.getAttribute.call(element, name) ?? '' }))
      .filter(
        ({ name, value }) =>
          /^on|^ping$|^srcset$/i.test(name) ||
          (/^(href|src|action|formaction|xlink:href)$/i.test(name) &&
            !/^(https?:|mailto:|tel:|about:srcdoc#|data:image\/|blob:|\/)/i.test(value)),
      );
    const found = is(bad) && !is(ours) ? [where] : [];
    return [...found, ...acts.map(({ name, value }) => `${where}: ${name}=${value}`)];
  });
}

/** Finds parts of the page's head and tabs that something covers, and returns whether the page is wider than its window. */
function coverings(): string[] {
  const found: string[] = [];
  if (document.querySelector('dialog[open]') !== null) return found;
  document.querySelector('.message-room')?.scrollTo(0, 0);
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide`);
  for (const part of document.querySelectorAll('.message-head, .tabs, .pane-message > .bar, .pane-list')) {
    const { left, top, width, height } = part.getBoundingClientRect();
    for (const x of [left + 5, left + width / 2, left + width - 5]) {
      for (const y of [top + 2, top + height / 2, top + height - 2]) {
        const on = document.elementFromPoint(x, y);
        if (on !== null && !part.contains(on)) found.push(`${part.className} is covered by ${on.className}`);
      }
    }
  }
  return found;
}
