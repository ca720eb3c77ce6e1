import { existsSync } from 'node:fs';
import { after, test as nodeTest, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Debian's Chromium: playwright-core contains no browser. */
const executablePath = '/usr/bin/chromium';
/** Headless Chromium, which takes half the processor time for the same pages. Optional. */
const shellPath = '/usr/bin/chromium-headless-shell';
/** Browser for tests that need no window. */
export const quickestPath = existsSync(shellPath) ? shellPath : executablePath;

/** Reason to skip tests that need a browser, or false. */
export const withoutChromium = existsSync(executablePath)
  ? false
  : `${executablePath} is missing (test/setup.sh installs it)`;

/** Options for a test in a page. */
export const inPage = { skip: withoutChromium };

/** Registers a test in a page. Its file has only such tests. */
export const test = (name: string, body: (t: TestContext) => Promise<void>) => nodeTest(name, inPage, body);

/** Maximum wait in ms for anything that a page must show: the machine may be busy. */
const patienceMs = 90_000;

let browser: Promise<Browser> | null = null;
/** Closes the browser that all files in the process share. */
export const closeBrowser = async () => void (await (await browser)?.close());
after(closeBrowser);

/** Opens a context with its own cookies and storage in the process's single browser. `await using` closes it. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  browser ??= launch(quickestPath);
  const context = await (await browser).newContext({ viewport: { width: 1400, height: 900 }, ...options });
  context.setDefaultTimeout(patienceMs);
  return context;
}

/** Starts a complete browser for the caller, as people use it, with additional arguments. */
export const launchChromium = (...args: string[]): Promise<Browser> => launch(executablePath, args);

function launch(path: string, args: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    timeout: 120_000,
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });
}
