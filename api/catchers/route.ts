import type { Ctx } from '#api/context.ts';
import type { Answer, Dialect } from '#api/dialect.ts';
import { scannedJson } from '#api/middleware/read-body.ts';
import { mayUseCookie, originOf } from '#api/middleware/session-cookie.ts';
import { type Call, type Route, route } from '#api/route.ts';
import { HttpFault } from '#api/shapes/problem.ts';
import type { Permission } from '#core/access/caller.ts';
import type { Config } from '#setup/config.ts';

/** Request for a path of another mail catcher. */
export type CatcherCall = Call<string, null, null, 'identified'>;

const needsKey =
  'Send a Sandpost API key as the HTTP Basic password, with any user name, or in the X-API-KEY header\n';

const notFound = 'The message or path does not exist in Sandpost';

/** Makes the dialect of a catcher. None has a 422. `refuse` makes the answer of a status and a sentence: a text where it is missing. */
export function catcherDialect(
  about: Required<Pick<Dialect, 'name' | 'title' | 'base'>>,
  refuse: (status: number, sentence: string, path: string) => Answer = (status, sentence) =>
    text(status, status === 404 ? notFound : sentence),
): Dialect {
  return {
    ...about,
    key: { in: 'header-or-password', name: 'x-api-key' },
    refuse({ status, detail, violations = [] }, { path }) {
      if (status === 401) return text(status, needsKey, { 'WWW-Authenticate': 'Basic realm="Login"' });
      const faults = violations.map(({ field, message }) => `${field} ${message}`).join('; ');
      return refuse(status === 422 ? 400 : status, faults || detail, path);
    },
  };
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, body, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } };
}

/** Bodies of changes, of any media type, and none. */
const anyJson = { ...scannedJson('http.bodyValues', 'any'), missing: null };

/**
 * Returns the declaration of a dialect's paths. Changes take their turn where they are performed, and so have a late body, also one
 * without fields.
 */
export function pathsOf(dialect: Dialect) {
  const summary = `As ${dialect.title} answers`;
  return (
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    answer: (call: CatcherCall) => Promise<object | undefined>,
    permission: Permission = method === 'get' ? 'mail' : 'write',
  ): Route =>
    route<string, 'identified', null, null, object>({
      ...{ method, path, permission, dialect, summary },
      operationId: `${dialect.name} ${method} ${path}`,
      anyQuery: true,
      ...(method === 'get' ? {} : { lateBody: { kind: anyJson, limit: 'http.bodyBytes' } }),
      success: { description: summary, contentType: '*/*' },
      handle: answer,
    });
}

/**
 * Makes routes refuse a page of another site: a browser sends the password of HTTP Basic by itself, and a GET marks a message as
 * read. The routes are no part of the REST API, nor of its OpenAPI document.
 */
export function fromOwnPages(routes: Route[]): Route[] {
  return routes.map((one) => ({
    ...one,
    async handle(call) {
      refuseForeignPage(call.ctx, call.services.config);
      return one.handle(call);
    },
  }));
}

function refuseForeignPage(ctx: Ctx, { allowedOrigins }: Pick<Config, 'allowedOrigins'>): void {
  // The visitor was admitted by the same rule, with the names of this machine.
  const isVisitor = ctx.state.caller !== null && 'local' in ctx.state.caller.credential;
  if (isVisitor || mayUseCookie(originOf(ctx), allowedOrigins)) return;
  const detail =
    'Blocked due to CORS violation: only sites listed in SANDPOST_ALLOWED_ORIGINS may send requests';
  throw new HttpFault({ status: 403, code: 'foreign_origin', detail });
}

/** Answers with a text. */
export function sendText(ctx: Ctx, body: string, status = 200, type = 'text/plain'): undefined {
  ctx.status = status;
  ctx.type = type;
  ctx.body = body;
}

/** Answers with JSON that is short. */
export const sendJson = (ctx: Ctx, value: unknown) =>
  sendText(ctx, JSON.stringify(value), 200, 'application/json');
