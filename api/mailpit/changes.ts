import { changeAll, idsOf, messagesOf, unfinished, type Which } from '#api/catchers/messages.ts';
import { type CatcherCall, sendText } from '#api/catchers/route.ts';
import { operation } from '#api/operation.ts';
import { messageShape } from '#api/shapes/message.ts';
import { messageUpdate } from '#api/shapes/message-request.ts';
import { malformed } from '#api/shapes/problem.ts';
import { unlessGone } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { type Query, termsOf } from '#core/messages/query.ts';
import { tagKey } from '#core/messages/tags.ts';
import { turnOf } from '#gate/event-loop.ts';
import { bodyOf, field, textsOf } from './dialect.ts';
import { searchText, tagCounts } from './listing.ts';
import { readSearch } from './search.ts';

const updateMessage = operation('updateMessage', messageShape);

/** Performs a bulk change, and responds as Mailpit does. */
async function change(call: CatcherCall, ...given: [which: Which, action: string, tag?: string]) {
  await changeAll(call, ...given);
  return sendText(call.ctx, 'ok');
}

/** Reads the search that selects messages to change. Throws HttpFault if it would select all messages. */
function searchToChange(text: string): Query {
  const query = readSearch(text);
  if (termsOf(query).length === 0) throw malformed('Error: no search query');
  return query;
}

export async function setReadState(call: CatcherCall): Promise<undefined> {
  const body = await bodyOf(call);
  const [ids, search] = [textsOf(body, 'IDs'), field(body, 'Search').text() ?? ''];
  if (ids.length > 0 && search !== '')
    throw malformed('You may specify either IDs or a search query, not both');
  const found = search === '' ? {} : { query: searchToChange(search) };
  const action = field(body, 'Read').flag() ? 'read' : 'unread';
  return change(call, ids.length > 0 ? { ids } : found, action);
}

export async function deleteMessages(call: CatcherCall): Promise<undefined> {
  const ids = textsOf(await bodyOf(call, true), 'IDs');
  return change(call, ids.length > 0 ? { ids } : {}, 'delete');
}

export const deleteSearch = async (call: CatcherCall) =>
  change(call, { query: searchToChange(searchText(call)) }, 'delete');

export async function setTags(call: CatcherCall): Promise<undefined> {
  const body = await bodyOf(call);
  const change = messageUpdate.read({ tags: textsOf(body, 'Tags') });
  const until = performance.now() + limits.answers.bulkMs;
  for (const id of idsOf(textsOf(body, 'IDs'))) {
    if (performance.now() > until || call.signal.aborted) throw unfinished();
    await turnOf(call.caller.userId, { continues: true });
    await unlessGone(updateMessage(call, { ids: { message_id: id }, body: change }));
  }
  return sendText(call.ctx, 'ok');
}

const tagQuery = (tag: string) => ({ field: 'tag', value: tagKey(tag), typed: tag }) as const;

const hasTag = async (call: CatcherCall, tag: string) =>
  (await tagCounts(call)).some(({ name }) => tagKey(name) === tagKey(tag));

/** Finds the tag in a path. Throws HttpFault. */
async function tagOf(call: CatcherCall): Promise<{ query: Query; tag: string }> {
  const tag = call.params.tag ?? '';
  if (!(await hasTag(call, tag))) throw malformed('tag not found');
  return { query: tagQuery(tag), tag };
}

export async function renameTag(call: CatcherCall): Promise<undefined> {
  const wanted = field(await bodyOf(call), 'Name').needText();
  const { query, tag } = await tagOf(call);
  if (tagKey(wanted) !== tagKey(tag)) {
    if (await hasTag(call, wanted)) throw malformed('tag already exists');
    await changeAll(call, { query }, 'tag', wanted);
    const both = { all: [query, tagQuery(wanted)] };
    await changeAll(call, { query: both }, 'untag', tag);
  }
  // Messages that cannot hold more tags, or all messages if only the tag's spelling changes.
  const { items } = await messagesOf(call, { query });
  const ids = items.map(({ id }) => String(id));
  if (ids.length === 0) return sendText(call.ctx, 'ok');
  await changeAll(call, { ids }, 'untag', tag);
  return change(call, { ids }, 'tag', wanted);
}

export async function deleteTag(call: CatcherCall): Promise<undefined> {
  const { query, tag } = await tagOf(call);
  return change(call, { query }, 'untag', tag);
}
