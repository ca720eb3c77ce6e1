import { computed, signal } from '@preact/signals';
import { basePath } from '../base-path.ts';
import type { List, Problem, Server, Session, SignInMethods } from './shapes.ts';

/** Unsuccessful response. `problem.detail` is a human-readable sentence. `violations` name fields. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.status = problem.status;
    this.problem = problem;
  }
}

/** Checks whether the API responded 404. */
export const isNotFound = (error: unknown) => error instanceof ApiError && error.status === 404;

/** Checks whether the API was unreachable, or a proxy responded in its place (502 to 504). */
export const isUnreachable = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status > 501);

/** Delay in ms before reading again what was unreachable, unless the event stream is lost. */
export const retryMs = 1000;

/** Returns the problem of an ApiError. Throws any other error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  throw error;
}

/** Returns the sentence of an error. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** REST API call that the page makes and shows. */
export type Call = { method: 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object };

/** Path whose response says whether the session is valid and the user is a member of the team. */
export const sessionPath = '/api/auth/session';

/** Paths of calls about the user, regardless of the team. */
const ofUser = /^\/api\/(teams|invitations|auth\/(?!session))/;

const signedInKey = 'sandpost-signed-in';

type Options = { signal?: AbortSignal; keepalive?: boolean };

/** API client for one team, or for the personal team if `teamId` is null, and the session's state. */
export function createClient(teamId: number | null) {
  /** Signed-in user. Null: nobody is signed in, and the sign-in covers the page. Undefined: not known yet. */
  const session = signal<Session | null | undefined>(undefined);
  /** User who was last signed in. Null if nobody has been signed in on this page. */
  const lastUser = signal<Session | null>(null);
  /** True if somebody was signed in when this browser last showed the page. The cookie itself cannot be read. */
  const wasSignedIn = localStorage.getItem(signedInKey) !== null;
  /** Reason why the session is refused at this address. Null if the session has only expired. */
  const refusal = signal<string | null>(null);
  /**
   * True once the API has responded that the user is not in the team, or that the team does not exist. From then on the page shows
   * nothing of the team.
   */
  const isGone = signal(false);
  /** True once the page may show nothing: nobody is signed in, or the user has left the team. */
  const hasLeft = computed(() => session.value === null || isGone.value);
  /** Number of requests waiting because of the rate limit. */
  const waiting = signal(0);
  /** Most recent refusal because of the user's role in the team. */
  const roleRefusal = signal<Problem | null>(null);
  /** Addresses that accept mail, and the server's setup. Null until `readServer`. */
  const server = signal<Server | null>(null);

  session.subscribe((user) => {
    if (user) lastUser.value = user;
    if (user) localStorage.setItem(signedInKey, 'yes');
    else if (user === null) localStorage.removeItem(signedInKey);
  });

  /**
   * Converts a path to the URL of a link, an image or an event stream. Adds the team, because requests for these cannot send a header.
   */
  function inTeam(path: string): string {
    const address = basePath + path;
    return teamId === null ? address : `${address}${path.includes('?') ? '&' : '?'}team_id=${teamId}`;
  }

  /** Calls the API with the session's cookie. Returns a successful response's body, or undefined for 204. Throws as `answerOf` does. */
  async function request<T>(method: string, path: string, body?: unknown, options: Options = {}): Promise<T> {
    const answer = await answerOf(method, path, body, options);
    return answer.status === 204 ? (undefined as T) : ((await answer.json()) as T);
  }

  /** Downloads the file at an address, for callers that read the file's bytes. Throws as `answerOf` does. */
  const readFile = (address: string, signal: AbortSignal) =>
    answerOf('GET', address.slice(basePath.length), undefined, { signal });

  /**
   * Calls the API and returns a successful response. Signs out and throws after 401. Repeats the call after 429 and its
   * Retry-After. Throws ApiError, with status 0 if there is no response.
   */
  async function answerOf(
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
      const problem = await readProblem(answer);
      if (answer.status === 401) {
        // The API names this setting if the page's own address is the cause.
        refusal.value = problem.detail.includes('SANDPOST_BASE_URL') ? problem.detail : null;
        session.value = null;
      }
      if (answer.status === 404 && teamId !== null) void lookForTeam(path);
      if (problem.code === 'forbidden_role') roleRefusal.value = problem;
      throw new ApiError(problem);
    }
  }

  /** Makes a call and passes its response to `done`. Returns the problem of the call or of `done`, for the caller to show, or null. */
  async function attempt<T>(
    { method, path, body }: Call,
    done: (answer: T) => unknown,
  ): Promise<Problem | null> {
    try {
      await done(await request<T>(method, path, body));
      return null;
    } catch (error) {
      return problemOf(error);
    }
  }

  /** Reads all pages of a list. */
  async function readAll<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; ; page++) {
      const list = await request<List<T>>('GET', `${path}?limit=200&page=${page}`);
      for (const one of list.items) items.push(one);
      if (list.items.length === 0 || items.length >= list.pagination.total) return items;
    }
  }

  /** Checks whether a call got a 404 because the user has left the team. */
  async function lookForTeam(path: string): Promise<void> {
    if (path === sessionPath) isGone.value = true;
    else await checkSession();
  }

  /** Checks whether the user is still signed in and a member of the team. Otherwise, the page changes. */
  async function checkSession(): Promise<void> {
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
      return await fetch(basePath + path, init);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new ApiError(ownProblem(0, 'unreachable', "Can't reach Sandpost. Is it still running?"));
    }
  }

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

  /** Reads the server's description once, because only its settings change it. Throws ApiError. */
  async function readServer(): Promise<void> {
    server.value ??= await request<Server>('GET', '/api/server');
  }

  /** Reads the available ways to sign in. If there is no response, offers the forms, whose own calls then show the error. */
  function readMethods(): Promise<SignInMethods> {
    const forms = { password: true, registration: true, oidc: null };
    return request<SignInMethods>('GET', '/api/auth/methods').catch(() => forms);
  }

  return {
    teamId,
    session,
    lastUser,
    wasSignedIn,
    refusal,
    isGone,
    hasLeft,
    waiting,
    roleRefusal,
    server,
    inTeam,
    request,
    readFile,
    attempt,
    readAll,
    checkSession,
    readServer,
    readMethods,
    /** Returns the URL of a message's source, for saving it as a file. */
    rawPath: (message: number) => inTeam(`/api/messages/${message}/raw`),
    /** Returns an attachment's URL. The API's `downloadUrl` begins with the base URL, which may differ from the page's address. */
    attachmentPath: (message: number, attachment: number) =>
      inTeam(`/api/messages/${message}/attachments/${attachment}`),
  };
}

export type Client = ReturnType<typeof createClient>;

async function readProblem(answer: Response): Promise<Problem> {
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
