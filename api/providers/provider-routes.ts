import type { Caller, Ctx } from '#api/context.ts';
import { baseOf, basicOf, keyOf, sendAnswer, withinDialect } from '#api/dialect.ts';
import { type BodyKind, scannedJson } from '#api/middleware/read-body.ts';
import { noteRefusedRequest } from '#api/provider-refusals.ts';
import type { SendRequest } from '#api/read-drafts.ts';
import { untilHangUp } from '#api/request-signals.ts';
import { type Call, post, type Route } from '#api/route.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { type ExaminedRequest, examineMails, type ProviderRequest } from '#core/delivery/submit-mails.ts';
import { type Submitter, withUserName } from '#core/delivery/submitter.ts';
import { invalid, Unauthenticated } from '#core/errors.ts';
import { cutTexts, FailedOnPurpose } from '#core/failures/choose-failure.ts';
import { limits } from '#core/limits.ts';
import { traceOf } from '#core/messages/trace-context.ts';
import { FormScanner } from './form.ts';
import { providers } from './index.ts';
import type { Operation, Outcome, Provider } from './provider.ts';
import { requestText } from './request-text.ts';

/** Maximum characters of an action's name. */
const longestAction = 100;

const bodyKinds: Record<'json' | 'form', BodyKind> = {
  json: scannedJson('submissions.bodyValues', ['application/json']),
  form: {
    types: ['multipart/form-data', 'application/x-www-form-urlencoded'],
    named: 'multipart/form-data or application/x-www-form-urlencoded',
    missing: 'The request must have a body',
    scanner: (contentType) => new FormScanner(contentType),
  },
};

/** Routes of all providers, in the providers' formats. Operations that share a path, and differ in a field, share a route. */
export const providerRoutes: Route[] = providers.flatMap((provider) => {
  const paths = Map.groupBy(provider.operations, ({ path }) => path);
  return [...paths.values()].map((operations) => providerRoute(provider, operations));
});

export function providerRoute(provider: Provider, operations: Operation[]): Route {
  const [first] = operations;
  if (first === undefined) throw new Error(`${provider.title} has no operation`);
  const { path, operationId, summary, body = 'json', success = 200, answerType = 'application/json' } = first;
  const actions = operations.flatMap(({ action }) => action ?? []);
  return post({
    path: `${baseOf(provider)}${path}`,
    operationId,
    summary,
    ...(actions.length > 0 ? { description: `By the field \`Action\`: ${actions.join(', ')}.` } : {}),
    permission: 'send',
    dialect: provider,
    lateBody: { kind: bodyKinds[body] },
    success: {
      description: `Accepted, with ${provider.title}’s response`,
      answered: success,
      types: answerType === null ? [] : [answerType],
    },
    async handle(call) {
      const { services, submissions, caller, params, ctx, receive } = call;
      const authenticatedAs = signedInBy(call, provider);
      const submitter = authenticatedAs ?? services.everybody;
      if (submitter === null) throw new Unauthenticated('The request requires an API key');
      const signal = untilHangUp(ctx);
      const inPlace = <T>(work: () => Promise<T>) => submissions(String(caller.userId), work);
      const { operation, submission, sent } = await receive((bytes) => {
        const operation = operationOf(operations, bytes);
        const contentType = ctx.get('content-type');
        const given: SendRequest = { operation: operation.operationId, contentType, params };
        const request = requestOf(ctx, provider, operation, bytes);
        const requestBytes = limits.submissions.composedBytes + 2 * bytes.length;
        const bounds = { messageBytes: services.maxMessageBytes, requestBytes };
        return inPlace(async () => {
          const requester = { user: caller.userId, signal };
          const composed = await services.composeDrafts(requester, bytes, given, bounds);
          const { mailsAtOnce } = limits.submissions;
          const { testAddress = () => null } = provider;
          const wanted = { ...request, composed, authenticatedAs, signal, mailsAtOnce, testAddress };
          const submission = await examineMails(services, submitter, wanted);
          const { reply, cut, delayMs } = submission.verdict;
          const goesOn = reply === null && cut === null && delayMs === 0;
          return { operation, submission, sent: goesOn ? await submission.store() : null };
        });
      });
      const outcomes = sent ?? (await afterFailure(call, submitter, submission, inPlace));
      if (outcomes === null) return;
      for (const outcome of outcomes) {
        if (!('violations' in outcome)) continue;
        outcome.limits.forEach(services.metrics.limitReached);
        const detail = outcome.violations.map(({ message }) => message).join('; ');
        noteRefusedRequest(services, ctx, { status: 422, detail }, outcome);
      }
      sendAnswer(ctx, operation.answer(outcomes));
    },
  });
}

/**
 * Delays a request as a failure rule demands, without keeping its body or its place among provider requests. Then refuses the request,
 * ends the connection and returns null, or stores the request's emails.
 */
async function afterFailure(
  { services, ctx, signal }: Pick<Call<string, null, null, 'identified'>, 'services' | 'ctx' | 'signal'>,
  { owner }: Submitter,
  { verdict, mailFrom, rcptTo, bytes, store }: ExaminedRequest,
  inPlace: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<Outcome[] | null> {
  const { reply, cut, delayMs } = verdict;
  const isStored = reply === null && cut === null;
  if (delayMs > 0) await services.delays.wait(owner, delayMs, signal, bytes);
  if (isStored) return inPlace(store);
  const failed = new FailedOnPurpose(verdict, mailFrom, rcptTo);
  if (cut === null) throw failed;
  noteRefusedRequest(services, ctx, { status: null, detail: cutTexts[cut] }, failed);
  ctx.respond = false;
  if (cut === 'drop') ctx.req.socket.destroySoon();
  else ctx.req.socket.resetAndDestroy();
  return null;
}

/** Chooses among a path's operations by the form's first `Action` field. Throws Invalid. */
function operationOf(operations: Operation[], bytes: Uint8Array): Operation {
  const named = operations.some(({ action }) => action !== undefined) ? actionOf(bytes) : undefined;
  const found = operations.find(({ action }) => action === named);
  if (found === undefined) {
    const taken = operations.map(({ action }) => action).join(', ');
    throw invalid('Action', `is not supported here: use one of ${taken}`);
  }
  return found;
}

/** Returns the beginning of the first `Action` value in a URL-encoded form, whose values contain no ampersand. */
function actionOf(bytes: Uint8Array): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const field = 'Action=';
  const isFirst = body.toString('latin1', 0, field.length) === field;
  const at = isFirst ? 0 : body.indexOf(`&${field}`) + 1;
  if (!isFirst && at === 0) return '';
  const value = body.toString('latin1', at + field.length, at + field.length + longestAction);
  return value.split('&')[0] ?? '';
}

/**
 * Returns the submitter that a key identifies. If the provider uses user names and no key is needed, a user name alone is enough, as in
 * an SMTP session. Returns null if neither is present.
 */
function signedInBy(
  {
    caller,
    ctx,
    services: { everybody },
  }: Pick<Call<string, null, null, 'identified'>, 'caller' | 'ctx' | 'services'>,
  { key }: Provider,
): Submitter | null {
  const byKey = submitterOf(caller);
  const given = basicOf(ctx.req.headers);
  if (key.in !== 'header-or-password' || given.userName === '') return byKey;
  const submitter = byKey ?? everybody;
  return submitter && withUserName(submitter, given);
}

/** Returns the key with which a request was sent, or null for a caller that needs no key. */
function submitterOf({ credential, keyName, team: owner }: Caller): Submitter | null {
  if (!('key' in credential) || keyName === null) return null;
  return { owner, kind: 'api_key', name: keyName, proof: hashSecret(credential.key) };
}

function requestOf(
  ctx: Ctx,
  provider: Provider,
  { eachIndependently = false }: Operation,
  bytes: Uint8Array,
): Pick<ProviderRequest, 'eachIndependently' | 'remoteAddress' | 'submission' | 'trace'> {
  const { headers, url = '' } = ctx.req;
  // The key may be foreign: `sandpost dev` accepts any.
  const key = keyOf(provider.key, headers);
  const request = requestText({ path: withinDialect(provider, url), headers, body: bytes }, key);
  return {
    eachIndependently:
      typeof eachIndependently === 'function' ? eachIndependently(headers) : eachIndependently,
    remoteAddress: ctx.ip,
    trace: traceOf([ctx.get('traceparent')]),
    submission: { provider: provider.name, request },
  };
}
