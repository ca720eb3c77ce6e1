import { signal } from '@preact/signals';
import { refusal, session } from './session.ts';
import type { Problem } from './shapes.ts';
import { isGone, teamId } from './team.ts';

/** Answer that is no success. `problem.detail` is a sentence for a person. `violations` name fields. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.status = problem.status;
    this.problem = problem;
  }
}

/** Number of requests that wait because of the rate limit. */
export const waiting = signal(0);

/** Number of calls that were refused because of the user's role in the team. */
export const roleRefusals = signal(0);

/** Path whose answer tells whether the session is valid, and the user a member of the team. */
export const sessionPath = '/api/auth/session';

/** Paths of calls that concern the user, whatever the team. */
const ofUser = /^\/api\/(teams|invitations|auth\/(?!session))/;

type Options = { signal?: AbortSignal; keepalive?: boolean };

/** Calls the API with the session's cookie. Returns the body of a success, undefined for 204. Throws as `answerOf` does. */
export async function request<T>(
  method: string,
  path: string,
  body?: unknown,
  options: Options = {},
): Promise<T> {
  const answer = await answerOf(method, path, body, options);
  return answer.status === 204 ? (undefined as T) : ((await answer.json()) as T);
}

/**
 * Calls the API and returns the answer of a success, for callers that read bytes. Signs out and throws after 401.
 * Repeats the call after 429 and its Retry-After. Throws ApiError, with status 0 if no answer comes.
 */
export async function answerOf(
  method: string,
  path: string,
  body?: unknown,
  options: Options = {},
): Promise<Response> {
  for (;;) {
    const answer = await send(method, path, body, options);
    if (answer.status === 429) {
      await pause(Number(answer.headers.get('Retry-After') ?? 1), options.signal);
      continue;
    }
    if (answer.ok) return answer;
    const problem = await problemOf(answer);
    if (answer.status === 401) {
      // The API names this setting if the page's own address is the cause.
      refusal.value = problem.detail.includes('SANDPOST_BASE_URL') ? problem.detail : null;
      session.value = null;
    }
    if (answer.status === 404 && teamId !== null) void lookForTeam(path);
    if (problem.code === 'forbidden_role') roleRefusals.value++;
    throw new ApiError(problem);
  }
}

/** Finds out whether a call was answered 404 because the user has left the team. */
async function lookForTeam(path: string): Promise<void> {
  if (path === sessionPath) isGone.value = true;
  else await checkSession();
}

/** Asks whether the user is still signed in and a member of the team. The page changes if not. */
export async function checkSession(): Promise<void> {
  await request('GET', sessionPath).catch(() => {});
}

async function send(method: string, path: string, body: unknown, options: Options): Promise<Response> {
  const headers = new Headers();
  const init: RequestInit = { method, headers, ...options };
  if (teamId !== null && !ofUser.test(path)) headers.set('X-Team-Id', `${teamId}`);
  if (body !== undefined) {
    headers.set('Content-Type', 'application/json');
    init.body = JSON.stringify(body);
  }
  try {
    return await fetch(path, init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(ownProblem(0, 'unreachable', 'Sandpost cannot be reached. Is it still running?'));
  }
}

async function problemOf(answer: Response): Promise<Problem> {
  const problem: Problem | null = await answer.json().catch(() => null);
  return problem?.detail === undefined
    ? ownProblem(answer.status, 'unknown', `Sandpost answered ${answer.status} ${answer.statusText}`)
    : problem;
}

const ownProblem = (status: number, code: string, detail: string): Problem => ({
  title: detail,
  status,
  code,
  detail,
});

async function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  waiting.value++;
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(resolve, Math.max(1, seconds) * 1000);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    waiting.value--;
  }
}
