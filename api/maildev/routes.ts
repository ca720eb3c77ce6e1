import { listPieces, sendPieces, withinBytes } from '#api/catchers/long-json.ts';
import { changeAll, deleteOne, messagesOf, wholeNumber } from '#api/catchers/messages.ts';
import { markRead, messageOf, sendHtml, sendRaw } from '#api/catchers/reading.ts';
import {
  type CatcherCall,
  catcherDialect,
  fromOwnPages,
  pathsOf,
  sendJson,
  sendText,
} from '#api/catchers/route.ts';
import { jsonPieces } from '#api/middleware/representation.ts';
import { bytesOperation } from '#api/operation.ts';
import { found } from '#core/errors.ts';
import { pathName, presentMail } from './presented.ts';

const getAttachment = bytesOperation('getAttachment');

/** Responds to a completed change. */
async function done({ ctx }: CatcherCall, change: Promise<unknown>): Promise<undefined> {
  await change;
  return sendJson(ctx, true);
}

/** Responds with the newest messages, oldest first. Skips the first `skip` messages that match the query. */
async function answerList(call: CatcherCall): Promise<undefined> {
  const query = new URLSearchParams(call.ctx.querystring);
  let skip = wholeNumber(query.get('skip'), 0);
  for (const other of ['skip', 'team_id']) query.delete(other);
  const { items } = await messagesOf(call, {});
  const pieces = listPieces(call, withinBytes(items).reverse(), async ({ id }) => {
    const mail = presentMail(await messageOf(call, id));
    if (![...query].every(([name, value]) => matches(mail, name.split('.'), value))) return null;
    skip -= 1;
    return skip < 0 ? mail : null;
  });
  return sendPieces(call, pieces);
}

/** Checks whether a path such as `from.address` leads to a value, in any item of a list. */
function matches(value: unknown, [name, ...more]: string[], wanted: string): boolean {
  if (Array.isArray(value))
    return value.some((item) => matches(item, name === undefined ? [] : [name, ...more], wanted));
  if (name === undefined) return value === wanted;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
  return matches(Reflect.get(value, name), more, wanted);
}

async function answerMail(call: CatcherCall): Promise<undefined> {
  const message = await markRead(call, await messageOf(call));
  return sendPieces(call, jsonPieces({ ...presentMail(message), read: true }));
}

async function answerHtml(call: CatcherCall): Promise<undefined> {
  const { id, content } = await messageOf(call);
  return content.html === null ? sendText(call.ctx, '', 200, 'text/html') : sendHtml(call, id);
}

async function answerFile(call: CatcherCall): Promise<undefined> {
  const { id, content } = await messageOf(call);
  const file = found(content.attachments.find((one) => pathName(one) === call.params.filename));
  await getAttachment(call, { ids: { message_id: id, attachment_id: file.id } });
}

/** MailDev: https://github.com/maildev/maildev/blob/v2.2.1/docs/rest.md. */
const path = pathsOf(
  catcherDialect({ name: 'maildev', title: 'MailDev', base: '/email' }, (status, sentence) => ({
    status,
    body: { error: status === 404 ? 'Email was not found' : sentence },
  })),
);
const mail = '/email/{id}';

export const maildevRoutes = fromOwnPages([
  path('get', '/email', answerList),
  path('patch', '/email/read-all', async (call) =>
    sendJson(call.ctx, await changeAll(call, { q: 'is:unread' }, 'read')),
  ),
  path('delete', '/email/all', (call) => done(call, changeAll(call, {}, 'delete'))),
  path('get', mail, answerMail),
  path('delete', mail, (call) => done(call, deleteOne(call))),
  path('get', `${mail}/html`, answerHtml),
  path('get', `${mail}/source`, (call) => sendRaw(call, 'text/plain')),
  path('get', `${mail}/download`, (call) => sendRaw(call, 'message/rfc822', '.eml')),
  path('get', `${mail}/attachment/{filename}`, answerFile),
  { ...path('get', '/healthz', async ({ ctx }) => sendJson(ctx, true)), access: 'public' },
]);
