import type { Ctx, Handler } from '#api/context.ts';
import { type Dialect, keyOf, sendAnswer, withinDialect } from '#api/dialect.ts';
import { showFailure } from '#api/plain-page.ts';
import { noteRefusedRequest } from '#api/provider-refusals.ts';
import {
  HttpFault,
  type Problem,
  type ProblemCode,
  presentProblem,
  problemType,
} from '#api/shapes/problem.ts';
import {
  ForbiddenRole,
  IdentityProviderDown,
  InsufficientScope,
  Invalid,
  Malformed,
  NotFound,
  OutboundDisabled,
  Overloaded,
  SearchTimeout,
  SharesForbidden,
  SignInRefused,
  StoreFull,
  StoreUnavailable,
  TooMany,
  TooManySearches,
  TooManyWaits,
  Unauthenticated,
} from '#core/errors.ts';
import { FailedOnPurpose } from '#core/failures/choose-failure.ts';
import type { Services } from '#setup/services.ts';

/** Seconds after which a client may repeat a request that got a 503. */
const storeRetry = '5';

type Reporting = Pick<Services, 'log' | 'metrics' | 'overflow'>;

/** Converts errors to responses, for all routes. An unexpected error becomes a 500 that reveals only the request id. */
export function errors(services: Reporting & Pick<Services, 'refusals' | 'clock' | 'config'>): Handler {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      // A client that went away while it was still sending gets no response.
      if (!ctx.writable || ctx.res.headersSent) throw error;
      const problem = reported(services, ctx, error);
      const { dialect } = ctx.state;
      if (dialect === undefined) answer(ctx, problem, services.config.basePath);
      else {
        refuseIn(dialect, ctx, problem);
        // All requests that send mail are POSTs. Other requests read mail.
        if (ctx.method === 'POST')
          noteRefusedRequest(services, ctx, { status: ctx.status, detail: problem.detail }, error);
      }
    }
  };
}

/** Returns the problem that describes a request's error. Counts the limits that the request reached, and logs server failures. */
export function reported(services: Reporting, ctx: Ctx, error: unknown): Problem {
  if (error instanceof Invalid) error.limits.forEach(services.metrics.limitReached);
  const problem = problemOf(error);
  if (problem.status >= 500 && !(error instanceof FailedOnPurpose)) logFailure(services, ctx, problem, error);
  return problem;
}

const again = { 'Retry-After': storeRetry };
const unavailable = (code: ProblemCode, detail?: string) => ({
  ...{ status: 503, code, headers: again },
  ...(detail !== undefined && { detail }),
});

/**
 * Problems by class of core error. The first class that matches the error counts. The detail is the error's message unless one is given
 * here.
 */
const problems: [error: new (...given: never[]) => Error, Omit<Problem, 'detail'> & { detail?: string }][] = [
  [
    Unauthenticated,
    { status: 401, code: 'unauthenticated', headers: { 'WWW-Authenticate': 'ApiKey header="X-API-KEY"' } },
  ],
  [ForbiddenRole, { status: 403, code: 'forbidden_role' }],
  [InsufficientScope, { status: 403, code: 'insufficient_scope' }],
  [SignInRefused, { status: 403, code: 'sign_in_refused' }],
  [OutboundDisabled, { status: 403, code: 'outbound_disabled' }],
  [SharesForbidden, { status: 403, code: 'shares_forbidden' }],
  [Malformed, { status: 400, code: 'malformed_request' }],
  [NotFound, { status: 404, code: 'not_found' }],
  [Invalid, { status: 422, code: 'validation_failed' }],
  [TooManySearches, { status: 429, code: 'too_many_searches' }],
  [TooManyWaits, { status: 429, code: 'too_many_waits' }],
  [TooMany, { status: 429, code: 'rate_limited' }],
  [StoreFull, unavailable('store_full', 'The store is full')],
  [StoreUnavailable, unavailable('store_unavailable', 'The store cannot be reached')],
  [IdentityProviderDown, unavailable('identity_provider_down')],
  [SearchTimeout, unavailable('search_timeout', 'The search took too long. Narrow it')],
  [Overloaded, unavailable('too_busy')],
];

export function problemOf(error: unknown): Problem {
  if (error instanceof HttpFault) return error.problem;
  if (error instanceof FailedOnPurpose) return problemOnPurpose(error);
  const known = problems.find(([kind]) => error instanceof kind)?.[1];
  if (known === undefined || !(error instanceof Error))
    return { status: 500, code: 'internal_error', detail: 'Something went wrong on our end' };
  const problem = { detail: error.message || 'This server does not support this request', ...known };
  if (error instanceof Invalid) return { ...problem, violations: error.violations };
  if (!(error instanceof TooMany)) return problem;
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000));
  return { ...problem, headers: { 'Retry-After': String(seconds) } };
}

function problemOnPurpose({ reply, message: detail }: FailedOnPurpose): Problem {
  const status = reply?.code ?? 503;
  const headers: Record<string, string> = [429, 503].includes(status) ? { 'Retry-After': '1' } : {};
  const code = status >= 500 ? 'internal_error' : 'validation_failed';
  return { status, code: status === 429 ? 'rate_limited' : code, detail, headers };
}

/** Challenges of a route that accepts an API key as a bearer token (RFC 6750 section 3) or in Sandpost's own header. */
const bearerChallenge = 'Bearer realm="Sandpost", ApiKey header="X-API-KEY"';

function answer(ctx: Ctx, problem: Problem, basePath: string): void {
  ctx.set({ 'Cache-Control': 'no-store', ...problem.headers });
  if (problem.status === 401 && ctx.state.takesBearer) ctx.set('WWW-Authenticate', bearerChallenge);
  ctx.remove('ETag');
  ctx.remove('Content-Disposition');
  ctx.status = problem.status;
  if (ctx.state.forBrowsers && ctx.accepts('json', 'html') === 'html') {
    showFailure(ctx, problem, basePath);
    return;
  }
  ctx.type = problemType;
  ctx.body = JSON.stringify(presentProblem(problem, ctx.state.requestId));
}

function refuseIn(dialect: Dialect, ctx: Ctx, problem: Problem): void {
  // Sandpost's own challenge would not fit the dialect.
  const { 'WWW-Authenticate': _, ...headers } = problem.headers ?? {};
  ctx.set(headers);
  if (problem.status === 429) ctx.set(dialect.throttled?.(Number(headers['Retry-After'])) ?? {});
  const [path = ''] = withinDialect(dialect, ctx.req.url ?? '').split('?');
  const hasKey = keyOf(dialect.key, ctx.req.headers) !== null;
  sendAnswer(ctx, dialect.refuse(problem, { path, hasKey }));
}

/** Logs a request that failed on the server side. A full disk is logged once a minute instead. */
function logFailure({ log, overflow }: Reporting, ctx: Ctx, { status, code }: Problem, err: unknown): void {
  if (err instanceof StoreFull) {
    overflow.diskRefused();
    return;
  }
  const { requestId, route } = ctx.state;
  const fields = {
    event: 'http.failed',
    method: ctx.method,
    route,
    status,
    code,
    request_id: requestId,
    err,
  };
  if (status === 500) log.error(fields, 'a request failed with an unexpected error');
  else log.warn(fields, 'could not serve a request');
}
