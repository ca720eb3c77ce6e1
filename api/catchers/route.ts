import type { Ctx } from '#api/context.ts';
import type { Answer, Dialect } from '#api/dialect.ts';
import { scannedJson } from '#api/middleware/read-body.ts';
import { mayUseCookie, originOf } from '#api/middleware/session-cookie.ts';
import { type Call, type Route, route } from '#api/route.ts';
import { HttpFault } from '#api/shapes/problem.ts';
import type { Permission } from '#core/access/caller.ts';
import type { Config } from '#setup/config.ts';

/** Request for another mail catcher's path. */
export type CatcherCall = Call<string, null, null, 'identified'>;

const needsKey =
  'Send a Sandpost API key as the HTTP Basic password, with any user name, or in the X-API-KEY header\n';

const notFound = 'The message or path does not exist in Sandpost';

/**
 * Creates a catcher's dialect. No catcher uses 422. `refuse` creates the response from a status and a sentence. If `refuse` is missing,
 * the response is the sentence as text.
 */
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

/** Bodies of changes: any media type, or no body. */
const anyJson = { ...scannedJson('http.bodyValues', 'any'), missing: null };

/**
 * Returns a function that declares a dialect's routes. Changes wait for their turn in the operation that they perform, so they have a
 * late body, even if the body has no fields.
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
 * Makes routes refuse pages from other sites, because a browser sends the HTTP Basic password automatically, and a GET marks a
 * message as read. The routes are not part of the REST API or of its OpenAPI document.
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
  // The same rule, with this machine's names, has already admitted the visitor.
  const isVisitor = ctx.state.caller !== null && 'local' in ctx.state.caller.credential;
  if (isVisitor || mayUseCookie(originOf(ctx), allowedOrigins)) return;
  const detail =
    'Blocked due to CORS violation: only sites listed in SANDPOST_ALLOWED_ORIGINS may send requests';
  throw new HttpFault({ status: 403, code: 'foreign_origin', detail });
}

/** Responds with text. */
export function sendText(ctx: Ctx, body: string, status = 200, type = 'text/plain'): undefined {
  ctx.status = status;
  ctx.type = type;
  ctx.body = body;
}

/** Responds with short JSON. */
export const sendJson = (ctx: Ctx, value: unknown) =>
  sendText(ctx, JSON.stringify(value), 200, 'application/json');
