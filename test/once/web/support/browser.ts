import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Chromium of Debian: playwright-core contains no browser. */
const executablePath = '/usr/bin/chromium';

/** Reason to skip tests that need a browser, or false. */
export const withoutChromium = existsSync(executablePath)
  ? false
  : `${executablePath} is missing (test/setup.sh installs it)`;

/** Longest wait in ms for anything that a page has to show: the machine may be busy. */
const patienceMs = 90_000;

let browser: Promise<Browser> | null = null;
after(async () => (await browser)?.close());

/** Opens a context with cookies and storage of its own in the one browser of the test file. `await using` closes it. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= launchChromium();
  const context = await (await browser).newContext({ viewport: { width: 1400, height: 900 }, ...options });
  context.setDefaultTimeout(patienceMs);
  return context;
}

/** Starts a browser of the caller's own, with more arguments. */
export function launchChromium(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath,
    timeout: 120_000,
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });
}
