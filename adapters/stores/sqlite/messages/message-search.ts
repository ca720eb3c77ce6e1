import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { type Query, query, transaction } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { Visibility } from '#core/messages/message.ts';
import type { FilterOf, MessageFilter } from '#core/messages/message-filter.ts';
import { type RowSummary, type SummaryRow, summaryColumns, toSummary } from './message-rows.ts';
import { bindScope, bindVisibility, messagesOf, newestFirst, scopeOf, unexpired } from './message-scope.ts';

/** Result of one slice of a search: ids, newest first. The search continues at the event number `next`. */
type SearchSlice = { ids: Id[]; next: number | null; cursor: number };

/** Lists that read many rows, slice by slice, in a thread of their own. */
export type MessageSearch = {
  /** Reads messages up to the event number `from` for about `sliceMs`. */
  slice(owner: Id, filter: MessageFilter, visibility: Visibility, from: number | null): SearchSlice;
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

type Scan = Query<{ id: Id; number: number }>;

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
  const byId = query<SummaryRow>(
    db,
    `SELECT ${summaryColumns} FROM message m JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.id = :id AND m.owner = :owner AND ${isNotDeleted('b')}`,
  );
  const scans = new Map<string, Scan>();
  const scanOf = (sql: string): Scan => {
    const known = scans.get(sql);
    if (known !== undefined) return known;
    if (scans.size >= mostScans) scans.clear();
    const scan: Scan = query(db, sql);
    scans.set(sql, scan);
    return scan;
  };
  const head = query<{ head: number }>(db, 'SELECT head FROM team WHERE id = :owner');
  return {
    slice: (owner, filter, visibility, from) =>
      transaction(db, 'DEFERRED', () => {
        const cursor = head.get({ owner })?.head ?? 0;
        const scope = scopeOf(owner, filter);
        const { condition, texts, bound } = textConditions(filter);
        // Conditions of the outer loop are evaluated before the texts. The clock is read at one light message in 16, by
        // chance: nobody can arrange messages so that it is not read.
        const sql = `SELECT m.id, m.number ${messagesOf(scope.by)} AND m.number <= :from
           AND (${isLight} AND random() & 15 OR in_time() OR stop_at(m.number))
           AND ${unexpired} AND ${condition} ${newestFirst}`;
        const light = lightBytes / Math.max(1, texts);
        const values = { ...bindScope(owner, scope, filter), ...bindVisibility(visibility), ...bound, light };
        const found: { id: Id; number: number }[] = [];
        begin = from ?? cursor;
        deadline = performance.now() + sliceMs;
        let next: number | null = null;
        try {
          for (const row of scanOf(sql).iterate({ ...values, from: begin })) found.push(row);
        } catch (error) {
          // A statement that ended with an error cannot run again.
          scans.delete(sql);
          if (!(error instanceof SliceOver)) throw error;
          next = error.number;
        }
        const end = next ?? Number.NEGATIVE_INFINITY;
        return { ids: found.filter(({ number }) => number > end).map(({ id }) => id), next, cursor };
      }),
    summaries: (owner, ids) => ids.flatMap((id) => byId.get({ id, owner }) ?? []).map(toSummary),
  };
}

type TextFilter = FilterOf<'heads' | 'texts'>;

/** Columns that each text filter searches. `own_recipients` has the owner's recipients of the envelope. */
const columns: Record<TextFilter, string[]> = {
  subject: ['s.subject'],
  from: ['s.sender'],
  to: ['s.recipients', 'm.own_recipients'],
  words: ['s.subject', 's.text', 's.sender', 's.recipients', 'm.own_recipients'],
};

/** Order of evaluation: cheap columns first. */
const textFilters: TextFilter[] = ['from', 'to', 'subject', 'words'];

/** Condition that each text of a filter occurs in one of its columns, the number of texts, and the values that it binds. */
function textConditions(filter: MessageFilter): {
  condition: string;
  texts: number;
  bound: Record<string, SQLInputValue>;
} {
  const wanted = textFilters.flatMap((name) =>
    [filter[name] ?? []].flat().map((text) => ({ text, columns: columns[name] })),
  );
  if (wanted.length === 0) return { condition: '1', texts: 0, bound: {} };
  const bound = Object.fromEntries(wanted.map(({ text }, index) => [`text${index}`, text]));
  const conditions = wanted.map(({ columns }, index) => {
    const occurs = columns.map((column) => `instr(${column}, :text${index})`);
    return `(${occurs.join(' OR ')})`;
  });
  // A row of `search` is read only for messages that every other filter lets pass.
  const condition = `EXISTS (SELECT 1 FROM search s WHERE s.body_id = m.body_id AND ${conditions.join(' AND ')})`;
  return { condition, texts: wanted.length, bound };
}
