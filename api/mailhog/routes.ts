import { listPieces, sendPieces, withinBytes } from '#api/catchers/long-json.ts';
import { deleteOne, messagesOf, wholeNumber } from '#api/catchers/messages.ts';
import { messageOf, sendRaw } from '#api/catchers/reading.ts';
import { type CatcherCall, catcherDialect, fromOwnPages, pathsOf, sendText } from '#api/catchers/route.ts';
import { jsonPieces } from '#api/middleware/representation.ts';
import { malformed } from '#api/shapes/problem.ts';
import { foldText } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import type { Query } from '#core/messages/query.ts';
import { readRaw } from '#core/messages/read-message.ts';
import { readTerm } from '#core/query/values.ts';
import { presentMail } from './presented.ts';

async function answerList(call: CatcherCall, filter: MessageFilter): Promise<undefined> {
  const query = new URLSearchParams(call.ctx.querystring);
  const start = wholeNumber(query.get('start'), 0);
  // A limit of 0 counts as absent.
  const limit = Math.min(wholeNumber(query.get('limit'), 0) || 50, 250);
  const { items, total } = await messagesOf(call, filter, { start, limit });
  async function* pieces() {
    yield `{"total":${total},"start":${start},"items":`;
    const count = yield* listPieces(call, withinBytes(items), ({ id }) => mailOf(call, id));
    yield `,"count":${count}}`;
  }
  return sendPieces(call, pieces());
}

async function mailOf(call: CatcherCall, id?: Id) {
  const message = await messageOf(call, id);
  return presentMail(message, await readRaw(call.services, call.caller.team, message.id));
}

function answerSearch(call: CatcherCall): Promise<undefined> {
  const query = new URLSearchParams(call.ctx.querystring);
  const found = conditionOf(query.get('kind') ?? '', query.get('query') ?? '');
  if (found === null)
    throw malformed('Send kind (from, to or containing) and a query of up to 1,000 characters');
  return answerList(call, filterWith({}, found));
}

function conditionOf(kind: string, typed: string): Query | null {
  const part = foldText(typed);
  if (part === '' || typed.length > limits.answers.queryCharacters) return null;
  if (kind === 'containing') return { field: 'text', part, typed };
  return kind === 'from' || kind === 'to' ? readTerm(kind, typed) : null;
}

async function remove(call: CatcherCall): Promise<undefined> {
  await deleteOne(call);
  return sendText(call.ctx, '');
}

/** MailHog: https://github.com/mailhog/MailHog/tree/master/docs/APIv2. MailHog's errors have no body; Sandpost's contain a sentence. */
const path = pathsOf(catcherDialect({ name: 'mailhog', title: 'MailHog', base: '/api/v2' }));
const message = '/api/v1/messages/{id}';

/** MailHog routes. Mailpit's routes include `GET` and `DELETE /api/v1/messages`. */
export const mailhogRoutes = fromOwnPages([
  path('get', '/api/v2/messages', (call) => answerList(call, {})),
  path('get', '/api/v2/search', answerSearch),
  path('get', message, async (call) => sendPieces(call, jsonPieces(await mailOf(call)))),
  path('get', `${message}/download`, (call) => sendRaw(call, 'message/rfc822', '.eml')),
  path('delete', message, remove),
]);
