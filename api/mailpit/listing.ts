import { listPieces, sendPieces } from '#api/catchers/long-json.ts';
import { messagesOf, mostMessages, wholeNumber } from '#api/catchers/messages.ts';
import { messageOf as readNamed } from '#api/catchers/reading.ts';
import type { CatcherCall } from '#api/catchers/route.ts';
import { tagList } from '#api/nouns/tags.ts';
import { operation } from '#api/operation.ts';
import { type Id, parseId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Message, MessageSummary } from '#core/messages/message.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import { readMessage } from '#core/messages/read-message.ts';
import { missing, noMessage } from './dialect.ts';
import { presentSummary } from './presented.ts';
import { readSearch } from './search.ts';

const listTags = operation('listTags', tagList);

/** Lists the team's tags with their message counts, by name. */
export async function tagCounts(call: CatcherCall): Promise<{ name: string; count: number }[]> {
  const { items } = await listTags(call, { query: { page: 1, limit: limits.answers.tagNames } });
  return items.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

type Counting = Parameters<typeof messagesOf>[0];

const count = async (call: Counting, filter: MessageFilter) =>
  (await messagesOf(call, filter, { start: 0, limit: 0 })).total;

/** Counts all messages, and a filter's unread messages. */
export const countAll = (call: Counting) => count(call, {});
export const countUnread = async (call: Counting, filter: MessageFilter = {}) =>
  filter.unread === false ? 0 : count(call, { ...filter, unread: true });

/**
 * Responds with a list, of all messages if `search` is null. In Mailpit, a limit of 0 means all messages in a list, but none in a search.
 */
export async function answerList(call: CatcherCall, search: string | null) {
  const query = new URLSearchParams(call.ctx.querystring);
  const start = wholeNumber(query.get('start'), 0);
  const asked = wholeNumber(query.get('limit'), 50);
  const wholly = asked === 0 && search === null;
  const range = { start: wholly ? 0 : start, limit: Math.min(wholly ? mostMessages : asked, mostMessages) };
  const filter = search === null ? {} : searchOf(search);
  const { items, total: matching } = await messagesOf(call, filter, range);
  const all = search === null ? matching : await countAll(call);
  const unread = await countUnread(call);
  const tags = (await tagCounts(call)).map(({ name }) => name);
  const found = search === null ? unread : await countUnread(call, filter);
  const numbers = { total: all, unread, count: items.length, messages_count: matching };
  const head = JSON.stringify({ ...numbers, messages_unread: found, start, tags });
  const read = ({ id }: MessageSummary) => readMessage(call.services, call.caller.team, id);
  async function* pieces() {
    yield `${head.slice(0, -1)},"messages":`;
    yield* listPieces(call, items, async (item) => presentSummary(await read(item)));
    yield '}';
  }
  return sendPieces(call, pieces());
}

/** Returns a query's search, or an empty string if there is none. */
export const searchText = ({ ctx }: Pick<CatcherCall, 'ctx'>) =>
  new URLSearchParams(ctx.querystring).get('query')?.trim() ?? '';

const searchOf = (search: string): MessageFilter => filterWith({}, readSearch(search));

/** Returns the id in a path. `latest` means the newest message, or a search's newest match. Throws HttpFault. */
export async function idOf(call: CatcherCall, named = call.params.id ?? ''): Promise<Id> {
  if (named !== 'latest') return parseId(named) ?? missing();
  const search = searchText(call);
  const filter = search === '' ? {} : searchOf(search);
  const { items } = await messagesOf(call, filter, { start: 0, limit: 1 });
  return items[0]?.id ?? missing(noMessage);
}

export async function messageOf(call: CatcherCall, named?: string): Promise<Message> {
  return readNamed(call, await idOf(call, named));
}
