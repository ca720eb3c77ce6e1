import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Chromium of Debian: playwright-core contains no browser. */
const executablePath = '/usr/bin/chromium';
/** Chromium without windows, which takes half of the processor time for the same pages. Not needed. */
const shellPath = '/usr/bin/chromium-headless-shell';
/** Browser for tests that need no window. */
export const quickestPath = existsSync(shellPath) ? shellPath : executablePath;

/** Reason to skip tests that need a browser, or false. */
export const withoutChromium = existsSync(executablePath)
  ? false
  : `${executablePath} is missing (test/setup.sh installs it)`;

/** Options of a test in a page. */
export const inPage = { skip: withoutChromium };

/** Longest wait in ms for anything that a page has to show: the machine may be busy. */
const patienceMs = 90_000;

let browser: Promise<Browser> | null = null;
/** Closes the browser of all files of the process. */
export const closeBrowser = async () => void (await (await browser)?.close());
after(closeBrowser);

/** Opens a context with cookies and storage of its own in the one browser of the process. `await using` closes it. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= launch(quickestPath);
  const context = await (await browser).newContext({ viewport: { width: 1400, height: 900 }, ...options });
  context.setDefaultTimeout(patienceMs);
  return context;
}

/** Starts a whole browser of the caller's own, as people use it, with more arguments. */
export const launchChromium = (...args: string[]): Promise<Browser> => launch(executablePath, args);

function launch(path: string, args: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    timeout: 120_000,
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });
}
