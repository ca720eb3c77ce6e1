import { there } from '#adapters/stores/sqlite/workers/calls.ts';
import type { Thread } from '#adapters/threads/thread.ts';
import type { Listed, ListPlace, MessageStore } from '#core/messages/message.ts';
import { laneOf, type SearchLane } from '#core/messages/search-turns.ts';
import type { MessageSearch } from './message-search.ts';

/** Selects messages slice by slice in the threads of searches. */
export function selectBySearch(threads: Record<SearchLane, Thread>): MessageStore['select'] {
  const lane = (thread: Thread) =>
    there<Pick<MessageSearch, 'listed' | 'listedOf'>>(thread, 'messages', { listed: true, listedOf: true });
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

/** Maximum rows that a thread answers at once. The calling thread takes a millisecond for them. */
const mostAtOnce = 1000;

function isAfter({ number, id }: ListPlace, place: ListPlace): boolean {
  return number < place.number || (number === place.number && id < place.id);
}
