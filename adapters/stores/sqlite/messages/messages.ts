import type { DatabaseSync } from 'node:sqlite';
import type { Async } from '#adapters/stores/rows/steps.ts';
import { bodyReads } from '#adapters/stores/sqlite/bodies/bodies.ts';
import { onThisThread, onThread, type Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import type { Thread } from '#adapters/threads/thread.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type {
  Listed,
  ListPlace,
  Message,
  MessageList,
  MessageStore,
  Visibility,
} from '#core/messages/message.ts';
import { type MessageFilter, workOf } from '#core/messages/message-filter.ts';
import {
  laneOf,
  type SearchLane,
  type SearchRunner,
  type SearchTerms,
  unlimitedSearches,
} from '#core/messages/search-turns.ts';
import { offsetOf, type Page } from '#core/page.ts';
import type { MessageChanges } from './bulk-change.ts';
import type { FoundReads } from './found-reader.ts';
import { type ListRows, messageList, OutOfReach, type RowList, rowsInReach } from './message-list.ts';
import type { RemovalWrites } from './message-removal.ts';
import { isFilled, messageReader } from './message-rows.ts';
import type { MessageSearch } from './message-search.ts';

/** Messages in the store. They are read here and in the search threads, and written in the writer thread. */
export function openMessages(
  reader: DatabaseSync,
  writer: Thread,
  searchers: Record<SearchLane, Thread>,
): MessageStore {
  const { message, summary } = messageReader(reader);
  const body = bodyReads(reader);
  const { list } = onThisThread({ list: messageList(reader, rowsInReach) });
  const { list: listApart } = onThread<{ list: ListRows }>(searchers.fields, 'messages', { list: true });
  const { found } = onThread<Pick<FoundReads, 'found'>>(searchers.fields, 'messages', { found: true });
  const { find } = onThisThread({ find: message });
  const whole = async (owner: Id, commit: Committed<Id>): Promise<Committed<Message> | null> => {
    // Ignores visibility because the change itself may have hidden the message.
    const result = await find(owner, commit.result, null);
    return result && { ...commit, result };
  };
  const listSlices = listBySearch(searchers);
  const removals = onThread<RemovalWrites>(writer, 'removals', {
    remove: true,
    removeSome: true,
  });
  const { update, changeSome } = onThread<MessageChanges>(writer, 'messages', {
    update: true,
    changeSome: true,
  });
  return {
    async list(owner, filter, page, visibility, search: SearchRunner = unlimitedSearches) {
      const work = workOf(filter, page);
      // Scanning a million index entries would block the calling thread for too long.
      if (work === 'index' && filter.query === undefined) {
        const rows = await search(({ turn }) => turn(() => listApart(owner, filter, page, visibility)));
        return completed(rows, found);
      }
      if (work === 'page') {
        try {
          return completed(await list(owner, filter, page, visibility), found);
        } catch (error) {
          if (!(error instanceof OutOfReach)) throw error;
        }
      }
      return completed(await search((terms) => listSlices(owner, filter, page, visibility, terms)), found);
    },
    find,
    ...onThisThread<Pick<Sync<MessageStore>, 'raw'>>({
      raw(owner, id, visibility) {
        const found = summary(owner, id, visibility);
        return found && body(found.bodyId, found.sizeBytes);
      },
    }),
    async update(owner, id, change, visibility) {
      const commit = await update(owner, id, change, visibility);
      return commit === null || commit === 'no-mailbox' ? commit : whole(owner, commit);
    },
    ...removals,
    select: selectBySearch(searchers),
    changeSome,
  };
}

/** Reads the codes and links of unfilled rows from their contents. */
async function completed(list: RowList, found: Async<FoundReads>['found']): Promise<MessageList> {
  const { items } = list;
  if (items.every(isFilled)) return { ...list, items };
  const unfilled = items.filter((row) => !isFilled(row));
  const read = new Map((await found(unfilled.map(({ id }) => id))).map((row) => [row.id, row]));
  return { ...list, items: items.map((row) => ({ ...row, code: row.code ?? null, ...read.get(row.id) })) };
}

type ListSearch = Pick<MessageSearch, 'slice' | 'summaries'>;

function listBySearch(threads: Record<SearchLane, Thread>) {
  const methods = { slice: true, summaries: true } as const;
  const lanes = {
    texts: onThread<ListSearch>(threads.texts, 'messages', methods),
    fields: onThread<ListSearch>(threads.fields, 'messages', methods),
  };
  return async (
    owner: Id,
    filter: MessageFilter,
    page: Page,
    visibility: Visibility,
    terms: SearchTerms,
  ): Promise<RowList> => {
    const { slice, summaries } = lanes[laneOf(filter)];
    const offset = offsetOf(page);
    const ids: Id[] = [];
    let total = 0;
    let cursor: number | null = null;
    let from: number | null = null;
    do {
      const most = offset + page.limit - ids.length;
      const part = await terms.turn(() => slice(owner, filter, visibility, from, most, offset));
      // A short search needs no second call for its rows.
      if (part.items !== undefined) return { items: part.items, total: part.total, cursor: part.cursor };
      for (const one of part.ids) ids.push(one);
      total += part.total;
      cursor ??= part.cursor;
      from = part.next;
    } while (from !== null);
    const shown = ids.slice(offset);
    const items = shown.length === 0 ? [] : await terms.turn(() => summaries(owner, shown));
    return { items, total, cursor };
  };
}

function selectBySearch(threads: Record<SearchLane, Thread>): MessageStore['select'] {
  const lane = (thread: Thread) =>
    onThread<Pick<MessageSearch, 'listed' | 'listedOf'>>(thread, 'messages', {
      listed: true,
      listedOf: true,
    });
  const lanes = { texts: lane(threads.texts), fields: lane(threads.fields) };
  return (owner, selection, { after, limit }, visibility, search) =>
    search(async ({ turn }) => {
      if ('ids' in selection) {
        const items = await turn(() => lanes.fields.listedOf(owner, selection, visibility));
        return items.filter((item) => isAfter(item, after)).slice(0, limit);
      }
      const { filter } = selection;
      const found: Listed[] = [];
      let place: ListPlace | null = after;
      while (place !== null && found.length < limit) {
        const from: ListPlace = place;
        const most = Math.min(limit - found.length, mostAtOnce);
        const part = await turn(() => lanes[laneOf(filter)].listed(owner, filter, visibility, from, most));
        for (const one of part.items) found.push(one);
        place = part.next;
      }
      return found;
    });
}

/** Maximum rows that a thread returns at a time. Receiving them takes the calling thread a millisecond. */
const mostAtOnce = 1000;

function isAfter({ number, id }: ListPlace, place: ListPlace): boolean {
  return number < place.number || (number === place.number && id < place.id);
}
