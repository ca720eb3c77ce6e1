import { type CatcherCall, fromOwnPages, pathsOf, sendText } from '#api/catchers/route.ts';
import { scannedJson } from '#api/middleware/read-body.ts';
import { providerRoute } from '#api/providers/provider-routes.ts';
import type { Route } from '#api/route.ts';
import { malformed } from '#api/shapes/problem.ts';
import { deleteMessages, deleteSearch, deleteTag, renameTag, setReadState, setTags } from './changes.ts';
import { answerHtmlCheck, answerLinkCheck, answerSpamCheck } from './checks.ts';
import { mailpit } from './dialect.ts';
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

const path = pathsOf(mailpit);
const message = '/api/v1/message/{id}';

const notOffered = (sentence: string) => async (call: CatcherCall) => sendText(call.ctx, sentence, 501);

const noChaos = notOffered(
  'To simulate failures, use POST /api/failures or an address such as qa+fail-550@app.test',
);
const noRelease = notOffered(
  'Sandpost does not send mail to external addresses: download the message with GET /api/messages/{id}/raw',
);

function searched(call: CatcherCall) {
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

/** Mailpit routes. Mailpit has a separate document. */
export const mailpitRoutes = fromOwnPages(declared);
