import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Program } from '#test/support/program/program.ts';
import type { User } from '#test/support/program/user.ts';
import { openContext } from './browser.ts';
import { leaveTab, type TabOptions, takeTab } from './tab.ts';

/** Page of a signed-in user on the real program. `errors` collects page errors and policy refusals. */
export type WebPage = Page & { errors: string[] };

type Origin = Pick<Program, 'baseUrl'>;
type Who = Pick<User, 'cookie'> | null;

/** Opens `path` with the user's session, in a tab like a new one. */
export async function openPage(
  { baseUrl }: Origin,
  user: Who,
  path = '/',
  options: TabOptions = {},
): Promise<WebPage> {
  const page = await takeTab(baseUrl, options);
  return await showPage(page, baseUrl, user, path, () => leaveTab(page, baseUrl));
}

/** Opens `path` with the user's session, in a context of its own, which closes with the page. */
export async function openOwnPage(
  { baseUrl }: Origin,
  user: Who,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<WebPage> {
  const context = await openContext({ baseURL: baseUrl, ...options });
  return await showPage(await context.newPage(), baseUrl, user, path, () => context.close());
}

async function showPage(
  page: Page,
  baseUrl: string,
  user: Who,
  path: string,
  end: () => Promise<void>,
): Promise<WebPage> {
  if (user !== null) await signIn(page.context(), { baseUrl }, user);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(path);
  return Object.assign(page, { errors, [Symbol.asyncDispose]: end });
}

/** Restores the user's session in the context. */
export async function signIn(
  context: BrowserContext,
  { baseUrl }: Pick<Program, 'baseUrl'>,
  { cookie }: Pick<User, 'cookie'>,
): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Strict' }]);
}

/** Finds the list row with this subject. */
export const rowOf = (page: Page, subject: string) =>
  page.getByRole('option').filter({ has: page.locator('.row-subject', { hasText: subject }) });

/** Waits until the list shows the row and the page is live. */
export async function liveRow(page: Page, subject: string): Promise<void> {
  await rowOf(page, subject).first().waitFor();
  await page.locator('.connection.open').waitFor();
}

/** Returns the list's subjects as rendered, from top to bottom. */
export const subjects = (page: Page): Promise<string[]> =>
  page
    .getByRole('option')
    .evaluateAll((rows) =>
      rows
        .toSorted((a, b) => Number(a.ariaPosInSet) - Number(b.ariaPosInSet))
        .map((row) => row.querySelector('.row-subject')?.textContent ?? ''),
    );
