import { invalid, SearchTimeout, TooManySearches } from '#core/errors.ts';
import type { EventBus, Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type {
  BulkAction,
  BulkOutcome,
  Listed,
  ListPlace,
  MessageStore,
  Selection,
  Visibility,
} from './message.ts';
import { visibilityAt } from './retention.ts';
import type { SearchTurns } from './search-turns.ts';

export type BulkPorts = {
  messages: Pick<MessageStore, 'select' | 'changeSome'>;
  journal: Pick<Journal, 'heads'>;
  bus: EventBus;
  searches: SearchTurns;
  clock: () => Date;
  retentionDays: number;
};

/**
 * Conditions for a bulk change. Its searches count for `user`. The change ends after a batch if `signal` is aborted or `isOver` returns
 * true, and continues only if `proceed` resolves.
 */
export type BulkTerms = {
  user: Id;
  signal: AbortSignal;
  isOver: () => boolean;
  proceed: () => Promise<void>;
};

/**
 * Result of a bulk change or, if it is split, of one part. `matched` and `changed` count this part's messages. `cursor` is the place at
 * which the next part continues, or null at the end.
 */
export type BulkResult = { matched: number; changed: number; cursor: ListPlace | null };

/**
 * Maximum messages that are changed in one transaction, and maximum bytes that their removal frees. Other work runs between two
 * transactions.
 */
const most = { inBatch: 250, bytesInBatch: 64 * 1024 * 1024 };

/** Number of messages that one search finds. Only messages that have not changed since the search are changed. */
const selectionSize = 10_000;

/**
 * Applies an action to all messages of a selection, newest first, in batches. Begins at the current newest message or continues at a
 * cursor, and ignores mail that arrives later. If others change a message in the meantime, checks again whether it belongs to the
 * selection. If there is no action, only counts. Throws Invalid for a path that none of the messages' accounts has, TooManySearches,
 * SearchTimeout, and what `proceed` throws.
 */
export async function changeMany(
  ports: BulkPorts,
  owner: Id,
  selection: Selection,
  action: BulkAction | null,
  cursor: ListPlace | null,
  terms: BulkTerms,
): Promise<BulkResult> {
  const bulk = { ...ports, owner, selection, terms };
  const sum = { matched: 0, changed: 0, unplaced: 0 };
  let after = cursor ?? (await newestPlace(ports, owner));
  let batches = 0;
  for (;;) {
    const selected = await select(bulk, selection, after).catch((error) => {
      // The result reports the batches that were completed. If the error persists, the next part throws it.
      const isPassing = error instanceof SearchTimeout || error instanceof TooManySearches;
      if (batches > 0 && (isPassing || terms.signal.aborted)) return null;
      throw error;
    });
    if (selected === null) return { ...sum, cursor: after };
    for (const batch of batchesOf(selected)) {
      if (terms.signal.aborted || (batches > 0 && terms.isOver())) return { ...sum, cursor: after };
      await terms.proceed();
      const done = await changeBatch(bulk, batch, action);
      for (const count of ['matched', 'changed', 'unplaced'] as const) sum[count] += done[count];
      after = batch.at(-1) ?? after;
      batches += 1;
    }
    if (selected.length < selectionSize) break;
  }
  if (sum.matched > 0 && sum.unplaced === sum.matched)
    throw invalid('mailboxPath', "is not a mailbox in any of these messages' accounts");
  return { ...sum, cursor: null };
}

type Bulk = BulkPorts & { owner: Id; selection: Selection; terms: BulkTerms };
type Done = Omit<BulkOutcome, 'left'>;

/** Returns the place before all current messages. Messages that arrive later have larger numbers. */
async function newestPlace({ journal }: BulkPorts, owner: Id): Promise<ListPlace> {
  const number = (await journal.heads([owner])).get(owner) ?? 0;
  return { number, id: Number.MAX_SAFE_INTEGER };
}

function select(bulk: Bulk, selection: Selection, after: ListPlace): Promise<Listed[]> {
  const { messages, searches, owner, terms } = bulk;
  const filter = 'filter' in selection ? selection.filter : {};
  const range = { after, limit: selectionSize };
  return searches.search(terms.user, filter, { signal: terms.signal }, (search) =>
    messages.select(owner, selection, range, visibilityOf(bulk), (work) => work(search)),
  );
}

function visibilityOf({ clock, retentionDays }: BulkPorts): Visibility {
  return visibilityAt(clock(), retentionDays);
}

/** Splits a selection into batches of at least one message each. */
function* batchesOf(selected: Listed[]): Iterable<Listed[]> {
  let batch: Listed[] = [];
  let bytes = 0;
  for (const one of selected) {
    const isFull = batch.length === most.inBatch || bytes + one.sizeBytes > most.bytesInBatch;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(one);
    bytes += one.sizeBytes;
  }
  if (batch.length > 0) yield batch;
}

/** Applies the action to a batch. Repeats it for messages that have changed in the meantime and still belong to the selection. */
async function changeBatch(bulk: Bulk, batch: Listed[], action: BulkAction | null): Promise<Done> {
  const done: Done = { matched: 0, changed: 0, unplaced: 0 };
  if (action === null) return { ...done, matched: batch.length };
  let wanted = batch;
  while (wanted.length > 0) {
    const { messages, bus, owner } = bulk;
    const { result, events } = await messages.changeSome(owner, wanted, action, visibilityOf(bulk));
    bus.announce(owner, events);
    done.matched += result.matched;
    done.changed += result.changed;
    done.unplaced += result.unplaced;
    const left = new Set(result.left);
    wanted = await selectAgain(
      bulk,
      wanted.filter(({ id }) => left.has(id)),
    );
  }
  return done;
}

/** Finds the messages that still belong to the selection, newest first. */
async function selectAgain(bulk: Bulk, left: Listed[]): Promise<Listed[]> {
  const [first] = left;
  const last = left.at(-1);
  if (first === undefined || last === undefined) return [];
  const ids = left.map(({ id }) => id);
  const before = { number: first.number, id: first.id + 1 };
  const { selection } = bulk;
  if ('ids' in selection) return select(bulk, { ...selection, ids }, before);
  const { filter } = selection;
  const after = Math.max(filter.after ?? 0, last.number - 1);
  const found = await select(bulk, { filter: { ...filter, after } }, before);
  return found.filter(({ id }) => ids.includes(id));
}
