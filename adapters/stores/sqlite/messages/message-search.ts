import type { DatabaseSync } from 'node:sqlite';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { limited, type Query, query, transaction } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { Listed, ListPlace, Selection, Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { contentMatches } from './content-matches.ts';
import { readTags } from './message-keys.ts';
import { type RowSummary, type SummaryRow, summaryColumns, toSummary } from './message-rows.ts';
import { bindScope, bindVisibility, messagesOf, newestFirst, scopeOf, unexpired } from './message-scope.ts';
import { queryConditions } from './query-conditions.ts';

/** Result of one slice of a search: ids, newest first. The search continues at the event number `next`. */
type SearchSlice = { ids: Id[]; next: number | null; cursor: number };

/** Lists that read many rows, slice by slice, in a thread of their own. */
export type MessageSearch = {
  /** Reads messages up to the event number `from` for about `sliceMs`. */
  slice(owner: Id, filter: MessageFilter, visibility: Visibility, from: number | null): SearchSlice;
  /** Reads at most `limit` messages after a place for about `sliceMs`. `next` is the place to go on from. */
  listed(
    owner: Id,
    filter: MessageFilter,
    visibility: Visibility,
    after: ListPlace,
    limit: number,
  ): { items: Listed[]; next: ListPlace | null };
  /** Reads those messages of the ids that are visible. */
  listedOf(owner: Id, selection: Extract<Selection, { ids: Id[] }>, visibility: Visibility): Listed[];
  /** Reads the messages of these ids, in this order, without those that are gone. */
  summaries(owner: Id, ids: Id[]): RowSummary[];
};

/** Error that ends a slice when its time is over, thrown before the first row of the next slice. */
class SliceOver extends Error {
  readonly number: number;
  constructor(number: number) {
    super();
    this.number = number;
  }
}

/** Largest message in which one text is found within microseconds, bytes. Divided by the number of texts. */
const lightBytes = 16_384;
const isLight = 'm.size_bytes + octet_length(m.own_recipients) < :light';

/** Maximum statements that are kept prepared. Preparing one takes as long as searching a hundred messages. */
const mostScans = 20;

/** Row of `message` with the state that bulk changes compare. */
type ListedRow = Pick<
  SummaryRow,
  'id' | 'number' | 'mailbox_id' | 'size_bytes' | 'is_read' | 'is_flagged' | 'tags'
>;
const listedColumns = 'm.id, m.number, m.mailbox_id, m.size_bytes, m.is_read, m.is_flagged, m.tags';

function toListed(row: ListedRow): Listed {
  return {
    id: row.id,
    number: row.number,
    mailboxId: row.mailbox_id,
    sizeBytes: row.size_bytes,
    isRead: row.is_read === 1,
    isFlagged: row.is_flagged === 1,
    tags: readTags(row.tags),
  };
}

/** Limit of a scan that has none. */
const noLimit = Number.MAX_SAFE_INTEGER;

export function messageSearch(db: DatabaseSync, sliceMs: number): MessageSearch {
  let begin = 0;
  let deadline = 0;
  // Takes no argument, which is cheaper. A call takes about a seventh of the time of a small message.
  db.function('in_time', () => (performance.now() <= deadline ? 1 : 0));
  // A slice ends between two numbers, never between messages of one number.
  db.function('stop_at', (number) => {
    if (Number(number) < begin) throw new SliceOver(Number(number));
    return 1;
  });
  const asked = contentMatches(db);
  const byId = query<SummaryRow>(
    db,
    `SELECT ${summaryColumns} FROM message m JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.id = :id AND m.owner = :owner AND ${isNotDeleted('b')}`,
  );
  const ofIds = query<ListedRow>(
    db,
    `SELECT ${listedColumns} FROM json_each(:ids) wanted CROSS JOIN message m ON m.id = wanted.value
       CROSS JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.owner = :owner AND ${isNotDeleted('b')} AND (:accountId IS NULL OR m.account_id = :accountId)
       AND (:mailboxId IS NULL OR m.mailbox_id = :mailboxId) AND ${unexpired} ${newestFirst}`,
  );
  const scans = new Map<string, Query<unknown>>();
  const scanOf = <Row>(sql: string): Query<Row> => {
    const known = scans.get(sql);
    // The columns are in the statement.
    if (known !== undefined) return known as Query<Row>;
    if (scans.size >= mostScans) scans.clear();
    const scan = query<Row>(db, sql);
    scans.set(sql, scan);
    return scan;
  };
  const head = query<{ head: number }>(db, 'SELECT head FROM team WHERE id = :owner');
  /**
   * Reads at most `limit` rows of a filter after a place, newest first, for about `sliceMs`. `next` is the event number at which
   * the next slice begins, or null at the end.
   */
  const scan = <Row extends { number: number }>(
    columns: string,
    [owner, filter, visibility]: [Id, MessageFilter, Visibility],
    { number, id }: ListPlace,
    limit: number,
  ): { rows: Row[]; next: number | null } => {
    const scope = scopeOf(owner, filter);
    const { quick, exact, bound, contents, texts } = queryConditions(
      filter.query ?? { all: [] },
      visibility.now,
    );
    asked.queries = contents;
    // Conditions on index entries are evaluated before a row is read, and those of the outer loop before the texts. The clock is
    // read at one entry in 64, and at one light message in 16, by chance: nobody can arrange messages so that it is not read.
    const entries =
      quick === null ? '' : `AND (random() & 63 OR in_time() OR stop_at(m.number)) AND ${quick}`;
    const sql = `SELECT ${columns} ${messagesOf(scope.by)} AND m.number <= :from AND (m.number < :from OR m.id < :fromId)
       ${entries} AND (${isLight} AND random() & 15 OR in_time() OR stop_at(m.number))
       AND ${unexpired} AND ${exact} ${newestFirst} ${limited}`;
    const light = lightBytes / Math.max(1, texts);
    const place = { from: number, fromId: id, limit };
    const values = { ...bindScope(owner, scope, filter), ...bindVisibility(visibility), ...bound, ...place };
    const rows: Row[] = [];
    begin = number;
    deadline = performance.now() + sliceMs;
    try {
      for (const row of scanOf<Row>(sql).iterate({ ...values, light })) rows.push(row);
      return { rows, next: null };
    } catch (error) {
      // A statement that ended with an error cannot run again.
      scans.delete(sql);
      if (!(error instanceof SliceOver)) throw error;
      const { number: next } = error;
      return { rows: rows.filter((row) => row.number > next), next };
    }
  };
  return {
    slice: (owner, filter, visibility, from) =>
      transaction(db, 'DEFERRED', () => {
        const cursor = head.get({ owner })?.head ?? 0;
        const place = { number: from ?? cursor, id: Number.MAX_SAFE_INTEGER };
        const filtered: [Id, MessageFilter, Visibility] = [owner, filter, visibility];
        const { rows, next } = scan<{ id: Id; number: number }>('m.id, m.number', filtered, place, noLimit);
        return { ids: rows.map(({ id }) => id), next, cursor };
      }),
    listed(owner, filter, visibility, after, limit) {
      const { rows, next } = scan<ListedRow>(listedColumns, [owner, filter, visibility], after, limit);
      const items = rows.map(toListed);
      if (next !== null) return { items, next: { number: next, id: Number.MAX_SAFE_INTEGER } };
      return { items, next: items.length < limit ? null : (items.at(-1) ?? null) };
    },
    listedOf: (owner, { ids, accountId = null, mailboxId = null }, visibility) =>
      ofIds
        .all({ owner, ids: JSON.stringify(ids), accountId, mailboxId, ...bindVisibility(visibility) })
        .map(toListed),
    summaries: (owner, ids) => ids.flatMap((id) => byId.get({ id, owner }) ?? []).map(toSummary),
  };
}
