import type { BrowserContextOptions, Page } from 'playwright-core';
import { openContext } from './browser.ts';

/** Options that a used tab can take on. */
export type TabOptions = Pick<
  BrowserContextOptions,
  'viewport' | 'colorScheme' | 'reducedMotion' | 'permissions'
>;

/** Tab that no test has at the moment, and the program that it showed. */
let free: { page: Page; baseURL: string } | null = null;

/** Returns a tab for a test: the one that the previous test left, which takes half the processor time of a new one to show a page. */
export async function takeTab(baseURL: string, options: TabOptions): Promise<Page> {
  const left = free;
  free = null;
  const isUsable = left?.baseURL === baseURL;
  if (!isUsable) await left?.page.context().close();
  const page = isUsable ? left.page : await openTab(baseURL);
  const { viewport, colorScheme = 'light', reducedMotion = 'no-preference', permissions = [] } = options;
  await Promise.all([
    page.setViewportSize(viewport ?? { width: 1400, height: 900 }),
    page.emulateMedia({ media: null, colorScheme, reducedMotion }),
    // A grant of nothing would deny what a new tab asks for.
    permissions.length > 0 && page.context().grantPermissions(permissions),
  ]);
  return page;
}

async function openTab(baseURL: string): Promise<Page> {
  const page = await (await openContext({ baseURL })).newPage();
  const refuse = () => {
    throw new Error('A clock or script remains in its tab. Call openOwnPage instead of openPage.');
  };
  page.clock.install = refuse;
  page.addInitScript = refuse;
  return page;
}

/** Removes what a test left in its tab, so that the next test finds it like a new one. Closes a tab that cannot be used again. */
export async function leaveTab(page: Page, baseURL: string): Promise<void> {
  const context = page.context();
  for (const event of ['console', 'pageerror', 'request']) page.removeAllListeners(event);
  const others = context.pages().filter((other) => other !== page);
  try {
    // First: what follows changes each page of the context, and fails for one that is closing.
    await Promise.all(others.map((other) => other.close()));
    await Promise.all([
      page.unrouteAll({ behavior: 'ignoreErrors' }),
      context.unrouteAll({ behavior: 'ignoreErrors' }),
      context.setOffline(false),
      context.clearPermissions(),
    ]);
    // The document has the page's storage, but no script that could write to it.
    await page.goto('/api/health');
    await page.mouse.move(-1, -1);
    await Promise.all([page.evaluate(clearStorage), context.clearCookies()]);
  } catch {
    // The test stopped the program, or closed the page.
    await context.close();
    return;
  }
  if (free === null) free = { page, baseURL };
  else await context.close();
}

function clearStorage(): void {
  localStorage.clear();
  sessionStorage.clear();
}
