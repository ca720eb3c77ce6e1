import type { Ctx } from '#api/context.ts';
import type { Answer, Dialect } from '#api/dialect.ts';
import { parseObject } from '#api/middleware/json-body.ts';
import { scannedJson } from '#api/middleware/read-body.ts';
import { mayUseCookie } from '#api/middleware/session-cookie.ts';
import { JsonValue } from '#api/providers/json-value.ts';
import type { Call } from '#api/route.ts';
import { HttpFault } from '#api/shapes/problem.ts';
import { NotFound } from '#core/errors.ts';
import type { Config } from '#setup/config.ts';

/** Request for a path of Mailpit. */
export type MailpitCall = Call<string, null, null, 'identified'>;

/** Sentences of Mailpit for what is not there. */
export const noMessage = 'Message not found';
export const noHtml = 'This message does not contain a HTML part';
const noPath = '404 page not found';

const needsKey =
  'Send an API key of Sandpost as the password of HTTP Basic, with any user name, or in the header X-API-KEY\n';

/** Mailpit: https://mailpit.axllent.org/docs/api-v1/. Its errors are texts, except those of a mail that is sent. */
export const mailpit: Dialect = {
  name: 'mailpit',
  title: 'Mailpit',
  base: '/api/v1',
  key: { in: 'header-or-password', name: 'x-api-key' },
  refuse({ status: given, detail, violations = [] }, { path }) {
    const sentence =
      violations.length > 0
        ? violations.map(({ field, message }) => `${field} ${message}`).join('; ')
        : detail;
    // Mailpit has no 422.
    const status = given === 422 ? 400 : given;
    if (path === '/send' && status !== 401) return { status, body: { Error: sentence } };
    if (status === 401) return text(status, needsKey, { 'WWW-Authenticate': 'Basic realm="Login"' });
    const known = status !== 404 || detail === noMessage || detail === noHtml;
    return text(status, known ? sentence : path.startsWith('/view/') ? noMessage : noPath);
  },
};

function text(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, body, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } };
}

/** Refuses what is not there. Throws NotFound. */
export function missing(sentence = noPath): never {
  throw new NotFound(sentence);
}

/** Answers with a text: `ok` to a change, and 501 with a sentence that names our way where there is no counterpart. */
export function sendText(ctx: Ctx, body: string, status = 200): undefined {
  ctx.status = status;
  ctx.type = 'text/plain';
  ctx.body = body;
}

/**
 * Refuses a page of another site: a browser sends the password of HTTP Basic by itself, and a GET marks a message as read. Throws
 * HttpFault.
 */
export function refuseForeignPage(ctx: Ctx, { allowedOrigins }: Pick<Config, 'allowedOrigins'>): void {
  const from = { secFetchSite: ctx.get('sec-fetch-site'), origin: ctx.get('origin') };
  // The visitor was admitted by the same rule, with the names of this machine.
  const isVisitor = ctx.state.caller !== null && 'local' in ctx.state.caller.credential;
  if (isVisitor || mayUseCookie(from, allowedOrigins)) return;
  const detail =
    'Blocked due to CORS violation: SANDPOST_ALLOWED_ORIGINS lists the sites whose pages may ask';
  throw new HttpFault({ status: 403, code: 'foreign_origin', detail });
}

/** Bodies of changes. Mailpit takes any media type, and to delete also none. */
export const anyJson = { ...scannedJson('http.bodyValues', 'any'), missing: null };

/** Reads a body, which may be `optional`. Throws Malformed. */
export async function bodyOf(call: Pick<MailpitCall, 'receive'>, optional = false): Promise<JsonValue> {
  return call.receive(async (bytes) => {
    return new JsonValue(bytes.length === 0 && optional ? {} : parseObject(bytes));
  });
}

/** Returns a field by its name without regard to case, as Go finds it. */
export function field(value: JsonValue, name: string): JsonValue {
  const spelled = Object.keys(value.fields()).find((key) => key.toLowerCase() === name.toLowerCase());
  return value.get(spelled ?? name);
}

/** Returns the texts of a list. Throws Invalid. */
export const textsOf = (value: JsonValue, name: string) =>
  field(value, name)
    .list()
    .map((one) => one.text() ?? '');
