import { scannedJson } from '#api/middleware/read-body.ts';
import { providerRoute } from '#api/providers/provider-routes.ts';
import { type Route, route } from '#api/route.ts';
import { malformed } from '#api/shapes/problem.ts';
import type { Permission } from '#core/access/caller.ts';
import { deleteMessages, deleteSearch, deleteTag, renameTag, setReadState, setTags } from './changes.ts';
import { answerHtmlCheck, answerLinkCheck, answerSpamCheck } from './checks.ts';
import { anyJson, type MailpitCall, mailpit, refuseForeignPage, sendText } from './dialect.ts';
import { answerList, searchText, tagCounts } from './listing.ts';
import {
  answerHeaders,
  answerMessage,
  answerPart,
  answerRaw,
  answerThumbnail,
  answerView,
} from './reading.ts';
import { mailpitSending } from './sending.ts';
import { answerInfo, answerWebUi } from './service.ts';

type Answer = object | undefined;

/** Declares a path of Mailpit. Changes take their turn where they are performed, and so have a late body, also one without fields. */
function path(
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  answer: (call: MailpitCall) => Promise<Answer>,
  permission: Permission = method === 'get' ? 'read' : 'write',
): Route {
  return route<string, 'identified', null, null, object>({
    ...{ method, path, permission },
    operationId: `mailpit ${method} ${path}`,
    summary: 'As Mailpit answers',
    dialect: mailpit,
    anyQuery: true,
    ...(method === 'get' ? {} : { lateBody: { kind: anyJson, limit: 'http.bodyBytes' } }),
    success: { description: 'As Mailpit answers', contentType: '*/*' },
    handle: answer,
  });
}

const message = '/api/v1/message/{id}';

const notOffered = (sentence: string) => async (call: MailpitCall) => sendText(call.ctx, sentence, 501);

const noChaos = notOffered(
  'Failures on purpose are rules here: POST /api/failures, or an address as +fail-550',
);
const noRelease = notOffered(
  'Sandpost sends no mail to the outside: download it by GET /api/messages/{id}/raw',
);

function searched(call: MailpitCall) {
  const search = searchText(call);
  if (search === '') throw malformed('Error: no search query');
  return answerList(call, search);
}

const send: Route = {
  ...providerRoute(mailpitSending, mailpitSending.operations),
  anyQuery: true,
  lateBody: { kind: scannedJson('submissions.bodyValues', 'any') },
};

const declared: Route[] = [
  path('get', '/api/v1/info', answerInfo),
  path('get', '/api/v1/webui', answerWebUi),
  path('get', '/api/v1/messages', (call) => answerList(call, null)),
  path('put', '/api/v1/messages', setReadState),
  path('delete', '/api/v1/messages', deleteMessages),
  path('get', '/api/v1/search', searched),
  path('delete', '/api/v1/search', deleteSearch),
  path('get', '/api/v1/tags', async (call) => (await tagCounts(call)).map(({ name }) => name)),
  path('put', '/api/v1/tags', setTags),
  path('put', '/api/v1/tags/{tag}', renameTag),
  path('delete', '/api/v1/tags/{tag}', deleteTag),
  path('get', message, answerMessage),
  path('get', `${message}/headers`, answerHeaders),
  path('get', `${message}/raw`, answerRaw),
  path('get', `${message}/part/{part}`, answerPart),
  path('get', `${message}/part/{part}/thumb`, answerThumbnail),
  path('get', `${message}/html-check`, answerHtmlCheck),
  path('get', `${message}/link-check`, answerLinkCheck, 'write'),
  path('get', `${message}/sa-check`, answerSpamCheck),
  path('get', `${message}/rspamd-check`, answerSpamCheck),
  path('post', `${message}/release`, noRelease),
  path('get', '/api/v1/chaos', noChaos),
  path('put', '/api/v1/chaos', noChaos),
  path('get', '/view/{file}', answerView),
  send,
];

/** Routes of Mailpit. They are no part of the REST API, nor of its OpenAPI document: Mailpit has one of its own. */
export const mailpitRoutes: Route[] = declared.map((one) => ({
  ...one,
  async handle(call) {
    refuseForeignPage(call.ctx, call.services.config);
    return one.handle(call);
  },
}));
