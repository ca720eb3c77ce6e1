import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { livingOn } from '#core/adapters/stores/sqlite/bury.ts';
import { type Query, query, transaction } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { MessageFilter, MessageSummary, Visibility } from '#core/messages/message.ts';
import { type SummaryRow, summaryColumns, toSummary } from './message-rows.ts';
import {
  bindScope,
  bindVisibility,
  messagesOf,
  newestFirst,
  scopeOf,
  unexpired,
  withoutCopies,
} from './message-scope.ts';

/** What one slice of a search found: ids, the newest first. `next` is the event number where the search goes on. */
type SearchSlice = { ids: Id[]; next: number | null; cursor: number };

/** Lists that have to look at many rows, slice by slice: they run in a thread of their own. */
export type MessageSearch = {
  /** Looks at messages up to the event number `from` for about `sliceMs`. */
  slice(owner: Id, filter: MessageFilter, visibility: Visibility, from: number | null): SearchSlice;
  /** The messages of these ids that are there, in this order. */
  summaries(ids: Id[]): MessageSummary[];
};

/** The time of a slice is up; thrown before the first row that the next slice looks at. */
class SliceOver extends Error {
  readonly number: number;
  constructor(number: number) {
    super();
    this.number = number;
  }
}

/** Size up to which a message is looked through in microseconds: less, the more texts are looked for. */
const lightBytes = 16_384;
const isLight = 'm.size_bytes + octet_length(m.own_recipients) < :light';

/** Statements that are kept prepared, which takes as long as looking through a hundred messages. */
const mostScans = 20;

type Scan = Query<{ id: Id; number: number }>;

export function messageSearch(db: DatabaseSync, sliceMs: number): MessageSearch {
  let begin = 0;
  let deadline = 0;
  // Cheaper without an argument; a call takes about a seventh of the time of a small message.
  db.function('in_time', () => (performance.now() <= deadline ? 1 : 0));
  // Messages of one number are never parted, so that each slice goes on behind the one before.
  db.function('stop_at', (number) => {
    if (Number(number) < begin) throw new SliceOver(Number(number));
    return 1;
  });
  const byId = query<SummaryRow>(
    db,
    `SELECT ${summaryColumns} FROM message m JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.id = :id AND ${livingOn('b')}`,
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
  const head = query<{ head: number }>(db, 'SELECT head FROM user WHERE id = :owner');
  return {
    slice: (owner, filter, visibility, from) =>
      transaction(db, 'DEFERRED', () => {
        const cursor = head.get({ owner })?.head ?? 0;
        const scope = scopeOf(owner, filter);
        const { conditions, texts, bound } = conditionsOf(filter);
        // Terms without a text are evaluated first, as they belong to the outer loop. The clock is read at one light message
        // in 16, by chance: nobody can arrange messages so that it is not read.
        const sql = `SELECT m.id, m.number ${messagesOf[scope.by]} AND m.number <= :from
           AND (${isLight} AND random() & 15 OR in_time() OR stop_at(m.number))
           AND ${unexpired} AND ${conditions.join(' AND ')} ${newestFirst}`;
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
    summaries: (ids) => ids.flatMap((id) => byId.get({ id }) ?? []).map(toSummary),
  };
}

/** Recipients are those of the header, and the owner's own ones of the envelope: `own_recipients`. */
const fields = {
  subject: ['s.subject'],
  from: ['s.sender'],
  to: ['s.recipients', 'm.own_recipients'],
  word: ['s.subject', 's.text', 's.sender', 's.recipients', 'm.own_recipients'],
};

function conditionsOf(filter: MessageFilter) {
  const conditions: string[] = ['1'];
  const texts: string[] = [];
  const bound: Record<string, SQLInputValue> = {};
  const contain = (columns: string[], text: string | undefined) => {
    if (text === undefined) return;
    const name = `text${texts.length}`;
    bound[name] = text;
    texts.push(`(${columns.map((column) => `instr(${column}, :${name})`).join(' OR ')})`);
  };
  if (filter.mailboxPath !== undefined) {
    bound.path = pathKey(filter.mailboxPath);
    conditions.push('b.path_key = :path');
  } else if (filter.mailboxId === undefined) {
    conditions.push(withoutCopies);
  }
  contain(fields.from, filter.from);
  contain(fields.to, filter.to);
  contain(fields.subject, filter.subject);
  for (const word of filter.words ?? []) contain(fields.word, word);
  if (texts.length > 0) {
    // The text is read only for messages that everything else lets pass.
    conditions.push(`EXISTS (SELECT 1 FROM search s WHERE s.body_id = m.body_id AND ${texts.join(' AND ')})`);
  }
  return { conditions, texts: texts.length, bound };
}
