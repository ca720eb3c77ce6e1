import type { Caller, Ctx, Handler } from '#api/context.ts';
import { logFailure, problemOf } from '#api/middleware/errors.ts';
import { requirePermission, requireStill } from '#api/middleware/identify.ts';
import { JsonScanner } from '#api/middleware/json-scanner.ts';
import { type BodyKind, withBody } from '#api/middleware/read-body.ts';
import { HttpFault, malformed, type Problem } from '#api/problem.ts';
import type { SendRequest } from '#api/read-drafts.ts';
import { untilHangUp } from '#api/request-signals.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { type ProviderRequest, submitMails } from '#core/delivery/submit-mails.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import { Invalid, invalid, Malformed, Unauthenticated } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { BodyBudget } from '#gate/body-budget.ts';
import { turnOf } from '#gate/event-loop.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { MailComposer } from '#setup/composer.ts';
import type { Services } from '#setup/services.ts';
import { providerOf } from './index.ts';
import type { Answer, Operation, Provider } from './provider.ts';
import { keyOf } from './provider-key.ts';
import { requestText } from './request-text.ts';

/** Characters of the name of an action. */
const longestAction = 100;

const jsonBody: BodyKind = {
  types: ['application/json'],
  named: 'application/json',
  scanner: () => new JsonScanner({ name: 'submissions.bodyValues', most: limits.submissions.bodyValues }),
};

const formBody: BodyKind = {
  types: ['multipart/form-data', 'application/x-www-form-urlencoded'],
  named: 'multipart/form-data or application/x-www-form-urlencoded',
  scanner: () => null,
};

type Found = { operations: Operation[]; params: Record<string, string> };

/**
 * Takes requests in the formats of e-mail providers, below `/providers`, and answers all of them in the format of their
 * provider. `admit` identifies the caller and counts the request.
 */
export function serveProviders(
  services: Services,
  composer: MailComposer,
  budget: BodyBudget,
  admit: Handler[],
): Handler {
  const { metrics } = services;
  const atOnce = createFairLimiter({
    places: limits.submissions.atOnce,
    placesPerKey: limits.submissions.atOncePerUser,
    waitingPerKey: limits.submissions.waiting,
    onFull: () => metrics.limitReached('submissions.waiting'),
  });

  const take = async (ctx: Ctx, provider: Provider): Promise<void> => {
    const { operations, params } = operationsAt(provider, ctx);
    const [first] = operations;
    if (first === undefined) throw unknownPath(provider);
    ctx.state.route = `/providers/${provider.name}${first.path}`;
    if (ctx.method !== 'POST') throw wrongMethod;
    for (const handler of admit) await handler(ctx, async () => {});
    if (ctx.state.caller !== null) requirePermission(ctx, ctx.state.caller, 'send');
    const authenticatedAs = signedIn(ctx.state.caller);
    const submitter = authenticatedAs ?? services.everybody;
    if (submitter === null) throw new Unauthenticated('An API key is needed');
    const user = ctx.state.caller?.userId ?? submitter.owner;
    const signal = untilHangUp(ctx);
    const kind = first.body === 'json' ? jsonBody : formBody;
    const most = limits.http.sendBodyBytes;
    const bounds = { most, name: 'http.sendBodyBytes', kind, budget, metrics } as const;
    await withBody(ctx, bounds, async (bytes) => {
      if (bytes === null) throw malformed('A body is needed');
      await requireStill(services, ctx, 'send');
      const operation = operationOf(operations, bytes);
      const { operationId } = operation;
      const given: SendRequest = { operation: operationId, contentType: ctx.get('content-type'), params };
      const request = requestOf(ctx, provider, operation, bytes);
      const requestBytes = limits.submissions.composedBytes + 2 * bytes.length;
      const mailBounds = { messageBytes: services.maxMessageBytes, requestBytes };
      await turnOf(submitter.owner);
      const outcomes = await atOnce(String(user), async () => {
        const composed = await composer.compose(user, { bytes, given, signal }, mailBounds);
        return submitMails(services, submitter, { ...request, composed, authenticatedAs, signal });
      });
      for (const outcome of outcomes) {
        if ('violations' in outcome) outcome.limits.forEach(metrics.limitReached);
      }
      send(ctx, operation.answer(outcomes));
    });
  };

  return async (ctx, next) => {
    const provider = providerOf(ctx.req.url);
    if (provider === null) return next();
    try {
      await take(ctx, provider);
    } catch (error) {
      // A client that went away while it was still sending gets no answer.
      if (!ctx.writable || ctx.res.headersSent) throw error;
      if (error instanceof Invalid) error.limits.forEach(metrics.limitReached);
      const problem = problemOf(error);
      if (problem.status >= 500) logFailure(services, ctx, problem, error);
      // The challenge of our own API is not the provider's.
      const { 'WWW-Authenticate': _, ...headers } = problem.headers ?? {};
      ctx.set(headers);
      const hasKey = keyOf(provider.key, ctx.req.headers) !== null;
      send(ctx, provider.refuse(problem, { path: pathOf(provider, ctx), hasKey }));
    }
  };
}

/** Tells which paths a provider has here: only those that send. */
function unknownPath({ name, title, operations }: Provider): HttpFault {
  const paths = [...new Set(operations.map(({ path }) => `/providers/${name}${path}`))].join(', ');
  const detail = `Of the API of ${title} only sending is here, by POST to ${paths}`;
  return new HttpFault({ status: 404, code: 'not_found', detail });
}

const wrongMethod = new HttpFault({
  status: 405,
  code: 'method_not_allowed',
  detail: 'This path takes POST',
  headers: { Allow: 'POST' },
} satisfies Problem);

function send(ctx: Ctx, { status, body, headers = {} }: Answer): void {
  ctx.status = status;
  ctx.body = body ?? '';
  ctx.set(headers);
}

/** Finds the operations of a provider at the path of a request, and the named segments of that path. */
function operationsAt({ name, operations }: Provider, ctx: Ctx): Found {
  const given = segmentsOf(pathOf({ name }, ctx));
  const matches = operations.filter((operation) => matchPath(operation.path, given) !== null);
  return { operations: matches, params: (matches[0] && matchPath(matches[0].path, given)) ?? {} };
}

/** Returns the path of a request after `/providers/<name>`, without its query. */
function pathOf({ name }: Pick<Provider, 'name'>, ctx: Ctx): string {
  const [path = ''] = (ctx.req.url ?? '').split('?');
  return path.slice(`/providers/${name}`.length);
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Returns the named segments of a path, or null where it is another one. */
function matchPath(template: string, given: string[]): Record<string, string> | null {
  const expected = segmentsOf(template);
  if (expected.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? '';
    const [, named] = /^\{(\w+)\}$/.exec(segment) ?? [];
    if (named === undefined && segment !== value) return null;
    if (named !== undefined) params[named] = decoded(value);
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Malformed('The path is not a URL');
  }
}

/** Chooses the operation of a path that has several, by the first field `Action` of the form. Throws Invalid. */
function operationOf(operations: Operation[], bytes: Uint8Array): Operation {
  const named = operations.some(({ action }) => action !== undefined) ? actionOf(bytes) : undefined;
  const found = operations.find(({ action }) => action === named);
  if (found === undefined) {
    const taken = operations.map(({ action }) => action).join(', ');
    throw invalid('Action', `is not one that is taken here: ${taken}`);
  }
  return found;
}

/** Returns the beginning of the first value of `Action` in an URL-encoded form, whose values have no ampersand. */
function actionOf(bytes: Uint8Array): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const field = 'Action=';
  const isFirst = body.toString('latin1', 0, field.length) === field;
  const at = isFirst ? 0 : body.indexOf(`&${field}`) + 1;
  if (!isFirst && at === 0) return '';
  const value = body.toString('latin1', at + field.length, at + field.length + longestAction);
  return value.split('&')[0] ?? '';
}

/** Returns the key that a request came with, or null for a caller that needs none. Throws Unauthenticated. */
function signedIn(caller: Caller | null): Submitter | null {
  if (caller === null)
    throw new Unauthenticated(
      'The key is no API key of Sandpost: make one on the page API keys, and give it to the client in place of the provider’s',
    );
  const { credential, keyName, team: owner } = caller;
  if (!('key' in credential) || keyName === null) return null;
  return { owner, kind: 'api_key', name: keyName, proof: hashSecret(credential.key) };
}

function requestOf(
  ctx: Ctx,
  provider: Provider,
  { eachByItself = false }: Operation,
  bytes: Uint8Array,
): Pick<ProviderRequest, 'eachByItself' | 'remoteAddress' | 'submission'> {
  const path = (ctx.req.url ?? '').slice(`/providers/${provider.name}`.length);
  // A key need not be one of ours: `sandpost dev` takes any.
  const key = keyOf(provider.key, ctx.req.headers);
  const request = requestText({ path, headers: ctx.req.headers, body: bytes }, key);
  return {
    eachByItself: typeof eachByItself === 'function' ? eachByItself(ctx.req.headers) : eachByItself,
    remoteAddress: ctx.ip,
    submission: { provider: provider.name, request },
  };
}
