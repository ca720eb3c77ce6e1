import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { query, transaction } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { MessageSummary, Visibility } from '#core/messages/message.ts';
import type { FilterOf, MessageFilter } from '#core/messages/message-filter.ts';
import { type SummaryRow, summaryColumns, toSummary } from './message-rows.ts';
import { bindScope, bindVisibility, messagesOf, newestFirst, scopeOf, unexpired } from './message-scope.ts';

/** Result of one slice of a search: ids, the newest first. The search goes on at the event number `next`. */
type SearchSlice = { ids: Id[]; next: number | null; cursor: number };

/** Lists that read many rows, slice by slice, in a thread of their own. */
export type MessageSearch = {
  /** Reads messages up to the event number `from` for about `sliceMs`. */
  slice(owner: Id, filter: MessageFilter, visibility: Visibility, from: number | null): SearchSlice;
  /** Reads the messages of these ids, in this order, without those that are gone. */
  summaries(ids: Id[]): MessageSummary[];
};

/** End of a slice's time, thrown before the first row of the next slice. */
class SliceOver extends Error {
  readonly number: number;
  constructor(number: number) {
    super();
    this.number = number;
  }
}

export function messageSearch(db: DatabaseSync, sliceMs: number): MessageSearch {
  let begin = 0;
  let deadline = 0;
  // A function without arguments: it is called for each row.
  db.function('in_time', () => (performance.now() <= deadline ? 1 : 0));
  // A slice ends between two numbers, never between messages of one number.
  db.function('stop_at', (number) => {
    if (Number(number) < begin) throw new SliceOver(Number(number));
    return 1;
  });
  const byId = query<SummaryRow>(
    db,
    `SELECT ${summaryColumns} FROM message m JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.id = :id AND b.buried_at IS NULL`,
  );
  const head = query<{ head: number }>(db, 'SELECT head FROM user WHERE id = :owner');
  return {
    slice: (owner, filter, visibility, from) =>
      transaction(db, 'DEFERRED', () => {
        const cursor = head.get({ owner })?.head ?? 0;
        const scope = scopeOf(owner, filter);
        const { condition, bound } = textConditions(filter);
        // Conditions of the outer loop are evaluated before the texts.
        const scan = query<{ id: Id; number: number }>(
          db,
          `SELECT m.id, m.number ${messagesOf[scope.by]} AND m.number <= :from
           AND (in_time() OR stop_at(m.number)) AND ${unexpired} AND ${condition} ${newestFirst}`,
        );
        const values = { ...bindScope(owner, scope, filter), ...bindVisibility(visibility), ...bound };
        const found: { id: Id; number: number }[] = [];
        begin = from ?? cursor;
        deadline = performance.now() + sliceMs;
        let next: number | null = null;
        try {
          for (const row of scan.iterate({ ...values, from: begin })) found.push(row);
        } catch (error) {
          if (!(error instanceof SliceOver)) throw error;
          next = error.number;
        }
        const end = next ?? Number.NEGATIVE_INFINITY;
        return { ids: found.filter(({ number }) => number > end).map(({ id }) => id), next, cursor };
      }),
    summaries: (ids) => ids.flatMap((id) => byId.get({ id }) ?? []).map(toSummary),
  };
}

type TextFilter = FilterOf<'heads' | 'texts'>;

/** Columns that each text filter looks in. The owner's recipients of the envelope stand in `own_recipients`. */
const columns: Record<TextFilter, string[]> = {
  subject: ['s.subject'],
  from: ['s.sender'],
  to: ['s.recipients', 'm.own_recipients'],
  words: ['s.subject', 's.text', 's.sender', 's.recipients', 'm.own_recipients'],
};

/** Cheap columns first: the order of evaluation. */
const textFilters: TextFilter[] = ['from', 'to', 'subject', 'words'];

/** The condition that each text of a filter occurs in one of its columns, and the values that it binds. */
function textConditions(filter: MessageFilter): { condition: string; bound: Record<string, SQLInputValue> } {
  const wanted = textFilters.flatMap((name) =>
    [filter[name] ?? []].flat().map((text) => ({ text, columns: columns[name] })),
  );
  if (wanted.length === 0) return { condition: '1', bound: {} };
  const bound = Object.fromEntries(wanted.map(({ text }, index) => [`text${index}`, text]));
  const conditions = wanted.map(({ columns }, index) => {
    const occurs = columns.map((column) => `ifnull(instr(${column}, :text${index}), 0)`);
    return `(${occurs.join(' OR ')})`;
  });
  // A row of `search` is read only for messages that every other filter lets pass.
  const condition = `EXISTS (SELECT 1 FROM search s WHERE s.body_id = m.body_id AND ${conditions.join(' AND ')})`;
  return { condition, bound };
}
