import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Debian's; playwright-core brings none of its own. */
const executablePath = '/usr/bin/chromium';

/** For a test's `skip`: why it cannot run here, or false. */
export const withoutChromium = existsSync(executablePath)
  ? false
  : `${executablePath} is missing (test/setup.sh installs it)`;

/** Longest wait for anything that a page is to show, in milliseconds: the machine may be busy. */
const patienceMs = 40_000;

let browser: Promise<Browser> | null = null;
after(async () => (await browser)?.close());

/** A context of its own (cookies, storage) in the one browser of the test file; closed by the test with `await using`. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= launchChromium();
  const context = await (await browser).newContext({ viewport: { width: 1400, height: 900 }, ...options });
  context.setDefaultTimeout(patienceMs);
  return context;
}

/** A browser of the caller's own, with more arguments. */
export function launchChromium(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath,
    timeout: 120_000,
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });
}
