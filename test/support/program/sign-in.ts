import assert from 'node:assert/strict';
import { BrowserLike, type PageAnswer } from '#test/support/clients/browser-like.ts';
import type { Json } from '#test/support/clients/http.ts';
import type { Program } from './program.ts';

export const sessionCookie = 'sandpost_session';
type At = Pick<Program, 'baseUrl'>;

/** Starts a sign-in through the identity provider, follows its pages, and returns the address that the browser returns to. */
export function beginAt({ baseUrl }: At, browser: BrowserLike, returnTo = '/'): Promise<string> {
  const start = `${baseUrl}/api/auth/oidc?return_to=${encodeURIComponent(returnTo)}`;
  return browser.follow(start, (url) => url.startsWith(`${baseUrl}/api/auth/oidc/callback`));
}

/** Signs in through the identity provider. */
export async function signInAt(
  program: At,
  browser = new BrowserLike(),
): Promise<PageAnswer & { browser: BrowserLike }> {
  const answer = await browser.open(await beginAt(program, browser), { 'sec-fetch-site': 'cross-site' });
  return { ...answer, browser };
}

/** Returns the API's response body in the browser's session. */
export async function readAs({ baseUrl }: At, browser: BrowserLike, path: string): Promise<Json> {
  const { status, text } = await browser.open(`${baseUrl}${path}`, { accept: 'application/json' });
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

/** Fails unless the response is an error page and nobody is signed in. */
export function refused(answer: PageAnswer, status: number, sentence: RegExp, browser: BrowserLike): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(answer.text, sentence);
  assert.match(answer.text, /<a href="\/">/);
  assert.doesNotMatch(answer.text, /Error:|node_modules|\bat .*\.ts|invalid_grant|JWT|claim/);
  assert.equal(browser.cookie(answer.url, sessionCookie), undefined);
}
