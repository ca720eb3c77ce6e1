import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { selection } from '#adapters/stores/rows/table.ts';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import { limited, type Query, query, transaction } from '#adapters/stores/sqlite/workers/query.ts';
import type { Id } from '#core/ids.ts';
import type { Listed, ListPlace, Selection, Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import type { Query as MessageQuery } from '#core/messages/query.ts';
import { contentFacts, type MailFacts, matches } from '#core/query/matches.ts';
import { listedFields, type RowSummary, summaries } from './message-rows.ts';
import {
  bindScope,
  bindVisibility,
  messagesOf,
  newestFirst,
  scopeOf,
  tagged,
  unexpired,
} from './message-scope.ts';
import { queryConditions } from './query-conditions.ts';

/**
 * Result of one slice of a search: the number of messages found, and their newest ids, newest first. The search continues at the event
 * number `next`. `items`: the rows of the ids after the first `offset`, if this slice is the whole search.
 */
type SearchSlice = { total: number; ids: Id[]; next: number | null; cursor: number; items?: RowSummary[] };

/** Lists that read many rows, slice by slice, in a separate thread. */
export type MessageSearch = {
  /** Reads messages up to the event number `from` for about `sliceMs`. Returns up to `limit` ids. */
  slice(
    owner: Id,
    filter: MessageFilter,
    visibility: Visibility,
    from: number | null,
    limit: number,
    offset?: number,
  ): SearchSlice;
  /** Reads up to `limit` messages after a place for about `sliceMs`. `next` is the place to continue from. */
  listed(
    owner: Id,
    filter: MessageFilter,
    visibility: Visibility,
    after: ListPlace,
    limit: number,
  ): { items: Listed[]; next: ListPlace | null };
  /** Reads the visible ones of the messages with these ids. */
  listedOf(owner: Id, selection: Extract<Selection, { ids: Id[] }>, visibility: Visibility): Listed[];
  /** Reads the messages with these ids, in this order. Omits deleted messages. */
  summaries(owner: Id, ids: Id[]): RowSummary[];
};

/** Error that ends a slice when its time is up. Thrown before the next slice's first row is read. */
class SliceOver extends Error {
  readonly number: number;
  constructor(number: number) {
    super();
    this.number = number;
  }
}

/** Maximum bytes of a message in which one string is found within microseconds. Divided by the number of strings. */
const lightBytes = 16_384;

/** Number of event numbers to scan without reading the clock: some milliseconds if only rows are read, not text. */
const numbersAtOnce = 8192;

/**
 * Number of tagged messages below which reading all of an owner's tagged rows is faster than reading the index entries of most mailboxes.
 */
const fewTagged = 5000;

/** Checks whether every message that matches a query must have a tag. */
function requiresTag(query: MessageQuery | undefined): boolean {
  if (query === undefined || 'any' in query || 'not' in query) return false;
  return 'all' in query ? query.all.some(requiresTag) : query.field === 'tag';
}

/** Maximum prepared statements kept. Preparing a statement takes as long as searching a hundred messages. */
const mostScans = 20;

const listed = selection(listedFields, 'm');

/** Function that converts values to a row. Null if rows are objects keyed by column name. */
type ToRow<Row> = ((values: SQLOutputValue[]) => Row) | null;

/** Maximum number or id, for a scan without a limit or a start. */
const greatest = Number.MAX_SAFE_INTEGER;

/** Messages that a scan has found: their number, and the ids of the first `most`. */
class Tally {
  total = 0;
  readonly ids: Id[] = [];
  readonly #most: number;
  #latest = 0;
  #ofLatest = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(id: Id, number: number): void {
    if (number !== this.#latest) {
      this.#latest = number;
      this.#ofLatest = 0;
    }
    this.#ofLatest += 1;
    this.total += 1;
    if (this.total <= this.#most) this.ids.push(id);
  }

  /** Removes the messages with this number, if it is the number that was added last. */
  takeBack(number: number): void {
    if (number !== this.#latest) return;
    this.total -= this.#ofLatest;
    this.ids.splice(this.total);
  }
}

export function messageSearch(db: DatabaseSync, sliceMs: number): MessageSearch {
  let begin = 0;
  let deadline = 0;
  // Takes no argument because this makes a call cheaper. A call takes about a seventh of the time that a small message takes.
  db.function('in_time', () => (performance.now() <= deadline ? 1 : 0));
  // Slices end only between two numbers, never between messages with the same number.
  db.function('stop_at', (number) => {
    if (Number(number) < begin) throw new SliceOver(Number(number));
    return 1;
  });
  let tally = new Tally(0);
  // A call takes a sixth of the time of passing a row to JavaScript.
  db.function('tally', (id, number) => {
    tally.add(Number(id), Number(number));
    return 1;
  });
  const ask = contentMatches(db);
  const countTagged = query<{ count: number }>(
    db,
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM message INDEXED BY message_tagged WHERE owner = :owner AND tags IS NOT NULL ${limited})`,
  );
  const expired = query<{ expired: number }>(
    db,
    `SELECT EXISTS (SELECT 1 FROM message INDEXED BY message_received WHERE received_at <= :horizon)
       OR EXISTS (SELECT 1 FROM message INDEXED BY message_expiry WHERE auto_delete = 1 AND expires_at <= :now)
     AS expired`,
  );
  const byId = query(
    db,
    `SELECT ${summaries.columns} FROM message m JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.id = :id AND m.owner = :owner AND ${isNotDeleted('b')}`,
    summaries.toRow,
  );
  const ofIds = query(
    db,
    `SELECT ${listed.columns} FROM json_each(:ids) wanted CROSS JOIN message m ON m.id = wanted.value
       CROSS JOIN mailbox b ON b.id = m.mailbox_id
     WHERE m.owner = :owner AND ${isNotDeleted('b')} AND (:accountId IS NULL OR m.account_id = :accountId)
       AND (:mailboxId IS NULL OR m.mailbox_id = :mailboxId) AND ${unexpired} ${newestFirst}`,
    listed.toRow,
  );
  const scans = new Map<string, Query<unknown>>();
  const scanOf = <Row>(sql: string, toRow: ToRow<Row>): Query<Row> => {
    const known = scans.get(sql);
    // The SQL determines the columns, so a known statement returns this type.
    if (known !== undefined) return known as Query<Row>;
    if (scans.size >= mostScans) scans.clear();
    const scan = query(db, sql, toRow);
    scans.set(sql, scan);
    return scan;
  };
  const head = query<{ head: number }>(db, 'SELECT head FROM team WHERE id = :owner');
  /**
   * Runs a statement on up to `limit` messages of a filter after a place, newest first, for about `sliceMs`. `statement` builds the SQL
   * from the clauses that select the messages. Passes each row to `take`. Returns the event number at which the next slice begins, or
   * null at the end.
   */
  const scan = <Row>(
    statement: (messages: string) => string,
    [owner, filter, visibility]: [Id, MessageFilter, Visibility],
    place: ListPlace,
    limit: number,
    take: (row: Row) => void,
    toRow: ToRow<Row> = null,
  ): number | null => {
    const scope = scopeOf(owner, filter);
    const { quick, exact, bound, contents, texts } = queryConditions(
      filter.query ?? { all: [] },
      visibility.now,
    );
    ask(contents);
    const age = bindVisibility(visibility);
    // While no message in the store has expired, index entries alone may be enough to count messages.
    const ages = expired.get(age)?.expired === 1;
    // SQLite evaluates conditions on index entries before it reads a row, and the outer loop's conditions before it reads text.
    const conditions = [
      'm.number <= :from',
      ...(quick === null ? [] : [quick]),
      ...(ages ? [unexpired] : []),
      exact,
    ];
    const isTagged =
      requiresTag(filter.query) && (countTagged.get({ owner, limit: fewTagged })?.count ?? 0) < fewTagged;
    const messages = isTagged ? messagesOf(scope.by, undefined, tagged) : messagesOf(scope.by);
    const within = `${messages} AND ${conditions.join(' AND ')}`;
    const values = {
      ...bindScope(owner, scope, filter),
      ...(ages && age),
      ...bound,
      ...(texts > 0 && { light: lightBytes / texts }),
    };
    const least = filter.after ?? 0;
    let { number: from, id: fromId } = place;
    let left = limit;
    deadline = performance.now() + sliceMs;
    for (;;) {
      // Messages with the place's own number can precede the place only in the first part.
      const behind = fromId === greatest ? '' : 'AND (m.number < :from OR m.id < :fromId)';
      const sql = statement(`${within} ${behind} ${newestFirst} ${limited}`);
      const after = Math.max(least, from - numbersAtOnce);
      const part = { from, after, limit: left, ...(fromId !== greatest && { fromId }) };
      begin = from;
      try {
        for (const row of scanOf(sql, toRow).iterate({ ...values, ...part })) {
          take(row);
          left -= 1;
        }
      } catch (error) {
        // A statement that ended with an error cannot run again.
        scans.delete(sql);
        if (!(error instanceof SliceOver)) throw error;
        return error.number;
      }
      if (after === least || left === 0) return null;
      if (performance.now() > deadline) return after;
      from = after;
      fromId = greatest;
    }
  };
  const rowsOf = (owner: Id, ids: Id[]) => ids.flatMap((id) => byId.get({ id, owner }) ?? []);
  return {
    slice: (owner, filter, visibility, from, limit, offset) =>
      transaction(db, 'DEFERRED', () => {
        const cursor = head.get({ owner })?.head ?? 0;
        const place = { number: from ?? cursor, id: greatest };
        tally = new Tally(limit);
        // The inner statement has an order and a limit, so SQLite does not merge the two statements.
        const counted = (messages: string) =>
          `SELECT count(found) FROM (SELECT tally(m.id, m.number) AS found ${messages})`;
        const next = scan(counted, [owner, filter, visibility], place, greatest, () => {});
        if (next !== null) tally.takeBack(next);
        const { total, ids } = tally;
        const isWhole = from === null && next === null;
        return { total, ids, next, cursor, ...(isWhole && { items: rowsOf(owner, ids.slice(offset)) }) };
      }),
    listed(owner, filter, visibility, after, limit) {
      const rows: Listed[] = [];
      const listing = (messages: string) => `SELECT ${listed.columns} ${messages}`;
      const filtered: [Id, MessageFilter, Visibility] = [owner, filter, visibility];
      // A cursor invented by a client can have any number. Each part on the way down to the newest message would take a statement.
      const newest = head.get({ owner })?.head ?? 0;
      const place = after.number > newest ? { number: newest, id: greatest } : after;
      const next = scan(listing, filtered, place, limit, (row) => rows.push(row), listed.toRow);
      if (next !== null) {
        return { items: rows.filter((row) => row.number > next), next: { number: next, id: greatest } };
      }
      return { items: rows, next: rows.length < limit ? null : (rows.at(-1) ?? null) };
    },
    listedOf: (owner, { ids, accountId = null, mailboxId = null }, visibility) =>
      ofIds.all({ owner, ids: JSON.stringify(ids), accountId, mailboxId, ...bindVisibility(visibility) }),
    summaries: rowsOf,
  };
}

/**
 * Defines `content_matches` on a connection, which compares a query with the required parts of a message's content. The returned function
 * sets the queries of the next statement, which names them by position. Caches the latest message's facts because several terms may need
 * them.
 */
function contentMatches(db: DatabaseSync): (queries: MessageQuery[]) => void {
  let queries: MessageQuery[] = [];
  let latest: { id: Id; facts: MailFacts } | null = null;
  db.function('content_matches', (query, id, parts, hasHtml, deliveredTo, envelope, copy) => {
    if (latest?.id !== Number(id)) {
      const row = {
        copy: copy === 1,
        deliveredTo: String(deliveredTo),
        envelope: JSON.parse(String(envelope)),
      };
      const facts = contentFacts(row, JSON.parse(String(parts)), hasHtml === 1);
      latest = { id: Number(id), facts };
    }
    const wanted = queries[Number(query)];
    return wanted !== undefined && matches(wanted, latest.facts) ? 1 : 0;
  });
  return (next) => {
    queries = next;
    latest = null;
  };
}
