import { operation } from '#api/operation.ts';
import { bulkRequest, bulkShape } from '#api/shapes/bulk.ts';
import { messageShape } from '#api/shapes/message.ts';
import { messageUpdate } from '#api/shapes/message-request.ts';
import { HttpFault, malformed } from '#api/shapes/problem.ts';
import { invalid, NotFound } from '#core/errors.ts';
import { parseId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { type Query, termsOf } from '#core/messages/query.ts';
import { tagKey } from '#core/messages/tags.ts';
import { bodyOf, field, type MailpitCall, sendText, textsOf } from './dialect.ts';
import { searchText, tagCounts } from './listing.ts';
import { readSearch } from './search.ts';

const changeMessages = operation('changeMessages', bulkShape);
const updateMessage = operation('updateMessage', messageShape);

/** Messages by their ids or by a search. All where both are missing. */
type Which = { ids?: string[]; query?: Query };

/** Returns ids as numbers, without those that are none of ours, which Mailpit ignores. Throws Invalid for too many. */
function idsOf(given: string[]): number[] {
  const most = limits.answers.bulkIds;
  if (given.length > most) throw invalid('IDs', `may have at most ${most} items`, 'answers.bulkIds');
  return given.flatMap((text) => parseId(text) ?? []);
}

/** Does a bulk change. Mailpit does all of it at once. Throws HttpFault where that takes longer than a bulk change may. */
async function changeAll(call: MailpitCall, { ids, query }: Which, action: string, tag?: string) {
  const selected = ids === undefined ? { q: '' } : { ids: idsOf(ids) };
  const body = bulkRequest.read({ ...selected, action, ...(tag !== undefined && { tag }) });
  const { done } = await changeMessages(call, { body: query === undefined ? body : { ...body, query } });
  if (done) return sendText(call.ctx, 'ok');
  const detail = 'Many messages are changed, and not all of them yet: send the request again';
  throw new HttpFault({ status: 503, code: 'too_busy', detail, headers: { 'Retry-After': '1' } });
}

/** Reads a search of which the messages are changed. Throws HttpFault for one that would mean all messages. */
function searchToChange(text: string): Query {
  const query = readSearch(text);
  if (termsOf(query).length === 0) throw malformed('Error: no search query');
  return query;
}

export async function setReadState(call: MailpitCall): Promise<undefined> {
  const body = await bodyOf(call);
  const [ids, search] = [textsOf(body, 'IDs'), field(body, 'Search').text() ?? ''];
  if (ids.length > 0 && search !== '')
    throw malformed('You may specify either IDs or a search query, not both');
  const found = search === '' ? {} : { query: searchToChange(search) };
  const action = field(body, 'Read').flag() ? 'read' : 'unread';
  return changeAll(call, ids.length > 0 ? { ids } : found, action);
}

export async function deleteMessages(call: MailpitCall): Promise<undefined> {
  const ids = textsOf(await bodyOf(call, true), 'IDs');
  return changeAll(call, ids.length > 0 ? { ids } : {}, 'delete');
}

export const deleteSearch = async (call: MailpitCall) =>
  changeAll(call, { query: searchToChange(searchText(call)) }, 'delete');

/** Replaces the tags of messages. */
export async function setTags(call: MailpitCall): Promise<undefined> {
  const body = await bodyOf(call);
  const change = messageUpdate.read({ tags: textsOf(body, 'Tags') });
  const until = performance.now() + limits.answers.bulkMs;
  for (const id of idsOf(textsOf(body, 'IDs'))) {
    if (performance.now() > until || call.signal.aborted)
      throw malformed(`Not all messages have the tags yet: send the IDs again, from ${id} on`);
    await updateMessage(call, { ids: { message_id: id }, body: change }).catch((error) => {
      if (!(error instanceof NotFound)) throw error;
    });
  }
  return sendText(call.ctx, 'ok');
}

const hasTag = async (call: MailpitCall, tag: string) =>
  (await tagCounts(call)).some(({ name }) => tagKey(name) === tagKey(tag));

/** Finds the tag that a path names. Throws HttpFault. */
async function tagOf(call: MailpitCall): Promise<{ query: Query; tag: string }> {
  const tag = call.params.tag ?? '';
  if (!(await hasTag(call, tag))) throw malformed('tag not found');
  return { query: { field: 'tag', value: tagKey(tag), typed: tag }, tag };
}

export async function renameTag(call: MailpitCall): Promise<undefined> {
  const wanted = field(await bodyOf(call), 'Name').needText();
  const { query, tag } = await tagOf(call);
  if (tagKey(wanted) === tagKey(tag)) return sendText(call.ctx, 'ok');
  if (await hasTag(call, wanted)) throw malformed('tag already exists');
  await changeAll(call, { query }, 'tag', wanted);
  return changeAll(call, { query }, 'untag', tag);
}

export async function deleteTag(call: MailpitCall): Promise<undefined> {
  const { query, tag } = await tagOf(call);
  return changeAll(call, { query }, 'untag', tag);
}
