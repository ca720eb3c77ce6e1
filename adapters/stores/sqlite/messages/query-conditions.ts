import type { SQLInputValue } from 'node:sqlite';
import { needlesOf } from '#core/extraction/search-text.ts';
import { limits } from '#core/limits.ts';
import { type Field, fields, type Query, type Term, termsOf } from '#core/messages/query.ts';
import { keyOf, sumOf, type TraitTest, traitTest } from '#core/messages/traits.ts';
import { asksEnvelope, partsFor } from '#core/query/matches.ts';

/**
 * SQL conditions of a query on a message (m) in its mailbox (b). `quick` needs only a list's index, and is true for every matching
 * message, or null if it would exclude none. `exact` decides. `contents` are the queries that `content_matches` compares, by position.
 * `texts` is the number of strings to search for.
 */
export type QueryConditions = {
  quick: string | null;
  exact: string;
  bound: Record<string, SQLInputValue>;
  contents: Query[];
  texts: number;
};

/**
 * Condition that is always true, and reads the clock before text or a content is read; for light messages, only for a random one in 16.
 * Columns of message rows are short, and need no clock check.
 */
const clock =
  '(m.size_bytes + octet_length(m.own_recipients) < :light AND random() & 15 OR in_time() OR stop_at(m.number))';

/** Columns of an email's text. `own_recipients` contains the owner's envelope recipients. */
const columnsOf = {
  subject: ['s.subject'],
  sender: ['s.sender'],
  recipients: ['s.recipients', 'm.own_recipients'],
  text: ['s.text'],
};

/**
 * Condition that the subject in a message's row is complete, and that lowercasing alone folds it. Message rows take a tenth of the pages
 * that `search` rows take.
 */
const plainSubject = `octet_length(m.subject) = length(m.subject) AND length(m.subject) < ${limits.answers.subjectCharacters}`;

export function queryConditions(query: Query, now: Date): QueryConditions {
  const builder = new Builder(now, query);
  const quick = builder.quick(query);
  const exact = builder.exact(query);
  const { contents, texts } = builder;
  // A discarded condition also has bound values, and SQLite refuses values that a statement does not name.
  const named = new Set(`${quick} ${exact}`.match(/:v\d+/g));
  const bound = Object.fromEntries(Object.entries(builder.bound).filter(([name]) => named.has(`:${name}`)));
  return { quick, exact, bound, contents, texts };
}

class Builder {
  readonly bound: Record<string, SQLInputValue> = {};
  readonly contents: Query[] = [];
  texts = 0;
  readonly #now: number;
  /**
   * JSON list of the content parts that the query searches. SQLite extracts them in a tenth of the time that JavaScript takes to parse
   * everything.
   */
  readonly #parts: string;
  readonly #asksEnvelope: boolean;
  #values = 0;

  constructor(now: Date, query: Query) {
    this.#now = now.getTime();
    this.#asksEnvelope = asksEnvelope(query);
    this.#parts = `json_object(${partsFor(query)
      .map((name) => `'${name}', c.json -> '$.${name}'`)
      .join(', ')})`;
  }

  /** Condition on index entries that every match meets, or null if there is none. */
  quick(query: Query): string | null {
    if ('all' in query) {
      const known = query.all.map((part) => this.quick(part)).filter((part) => part !== null);
      return known.length === 0 ? null : joined(known, 'AND');
    }
    if ('any' in query) {
      const parts = query.any.map((part) => this.quick(part));
      return parts.some((part) => part === null) ? null : joined(parts as string[], 'OR');
    }
    if ('not' in query) {
      const known = 'field' in query.not ? this.#known(query.not) : null;
      return known && `NOT coalesce(${known}, 0)`;
    }
    const known = this.#known(query);
    if (known !== null) return `coalesce(${known}, 1)`;
    const test = traitTest(query);
    if (test !== null) return `coalesce(${this.#traits(test)}, 1)`;
    return query.field === 'filename' ? 'm.has_attachments = 1' : null;
  }

  exact(query: Query): string {
    if (isOfTexts(query)) return this.#ofTexts(query);
    // Reads and parses a content once for all terms that need the content.
    if (!('field' in query) && isOfContent(query)) return this.#quickly(query);
    if ('not' in query) return `NOT ${this.exact(query.not)}`;
    if (!('all' in query || 'any' in query)) return this.#term(query);
    const [parts, operator] = 'all' in query ? [query.all, 'AND' as const] : [query.any, 'OR' as const];
    const texts = parts.filter(isOfTexts);
    const others = parts.filter((part) => !isOfTexts(part)).map((part) => this.exact(part));
    if (texts.length === 0) return joined(others, operator);
    return joined([...others, this.#ofTexts('all' in query ? { all: texts } : { any: texts })], operator);
  }

  /** Condition for a query on text. Reads a `search` row once, after the conditions on the message. */
  #ofTexts(query: Query): string {
    const parts = 'all' in query ? query.all : [query];
    const inRow = parts.flatMap((part) => this.#inSubject(part) ?? []);
    const left = parts.filter((part) => !isPlainSubject(part));
    return joined(left.length === 0 ? inRow : [...inRow, inTexts(this.#inTexts({ all: left }))], 'AND');
  }

  /** Condition for a term or its negation that the rows of most messages decide. Null for any other query. */
  #inSubject(query: Query): string | null {
    if (!isPlainSubject(query)) return null;
    if ('not' in query) return `NOT ${this.#inSubject(query.not)}`;
    const found = inTexts(this.#inTexts(query));
    return `CASE WHEN ${plainSubject} THEN instr(lower(m.subject), ${this.#bind(query.part)}) > 0 ELSE ${found} END`;
  }

  /** Condition on a row of `search` (s). */
  #inTexts(query: Query): string {
    if ('all' in query)
      return joined(
        query.all.map((part) => this.#inTexts(part)),
        'AND',
      );
    if ('any' in query)
      return joined(
        query.any.map((part) => this.#inTexts(part)),
        'OR',
      );
    if ('not' in query) return `NOT ${this.#inTexts(query.not)}`;
    this.texts += 1;
    if (!('part' in query) || query.part === null) return '1';
    const needles = needlesOf(query.part, query.typed).map((needle) => this.#bind(needle));
    const columns = (fields[query.field].texts ?? []).flatMap((name) => columnsOf[name]);
    const occurs = columns.flatMap((column) =>
      needles.map((needle) => `coalesce(instr(${column}, ${needle}), 0)`),
    );
    return joined(occurs, 'OR');
  }

  #term(term: Term): string {
    switch (term.field) {
      case 'in':
        return `b.path_key = ${this.#bind(term.value)}`;
      case 'account':
        return `m.account_id IN (SELECT id FROM account WHERE address = ${this.#bind(term.value)} AND owner = :owner
          AND deleted_at IS NULL)`;
      case 'accounts':
        return `m.account_id IN (SELECT value FROM json_each(${this.#bind(JSON.stringify(term.ids))}))`;
      case 'domain':
        return `b.domain_id IN (SELECT id FROM domain WHERE name = ${this.#bind(term.value)} AND owner = :owner
          AND deleted_at IS NULL)`;
      case 'address':
      case 'tag':
      case 'trace':
      case 'namespace':
      case 'pod':
      case 'workload': {
        const found = `instr(m.keys, ${this.#bind(`\n${keyOf(term)}\n`)}) > 0`;
        const test = traitTest(term);
        // For most messages, index entries alone show that the key is absent.
        const lacks = test === null ? '' : `WHEN ${this.#traits(test)} IS 0 THEN 0 `;
        return `CASE ${lacks}WHEN m.keys IS NULL THEN ${this.#content(term)} ELSE ${found} END`;
      }
      case 'larger':
        return `m.size_bytes > ${this.#bind(term.bytes)}`;
      case 'smaller':
        return `m.size_bytes < ${this.#bind(term.bytes)}`;
      case 'after':
        return `m.received_at >= ${this.#bind(term.at)}`;
      case 'before':
        return `m.received_at < ${this.#bind(term.at)}`;
      case 'newer':
        return `m.received_at >= ${this.#bind(this.#now - term.ms)}`;
      case 'older':
        return `m.received_at < ${this.#bind(this.#now - term.ms)}`;
      case 'message-id':
        return `coalesce(m.msgid IN (${this.#bind(term.value)}, ${this.#bind(`<${term.value}>`)}), 0)`;
      default:
        return this.#ofMail(term);
    }
  }

  /** Condition for a term that the email's traits or content decide. */
  #ofMail(term: Term): string {
    const known = this.#known(term);
    if (known !== null) {
      return traitTest(term) === null
        ? known
        : `CASE WHEN m.traits IS NULL THEN ${this.#content(term)} ELSE ${known} END`;
    }
    return this.#quickly(term);
  }

  /** Condition for a query on the content, preceded by the condition on index entries. */
  #quickly(query: Query): string {
    const quick = this.quick(query);
    return quick === null ? this.#content(query) : `(${quick} AND ${this.#content(query)})`;
  }

  /** Condition on index entries that decides a term, null for an unfilled row. Null if there is no such condition. */
  #known(term: Term): string | null {
    if (term.field === 'is') return states[term.state];
    if (term.field === 'has' && term.thing === 'attachment') return 'm.has_attachments = 1';
    const test = traitTest(term);
    return test?.exact ? this.#traits(test) : null;
  }

  #traits({ set, clear }: TraitTest): string {
    return `(m.traits & ${this.#bind(sumOf([...set, ...clear]))}) = ${this.#bind(sumOf(set))}`;
  }

  #content(query: Query): string {
    this.contents.push(query);
    this.texts += 1;
    const [envelope, trace] = this.#asksEnvelope
      ? ['t.delivered_to, t.envelope', 'CROSS JOIN trace t']
      : ["'', '{}'", ''];
    return `(${clock} AND (SELECT content_matches(${this.contents.length - 1}, m.id, ${this.#parts}, c.html IS NOT NULL, ${envelope}, m.copy)
      FROM content c ${trace} WHERE c.body_id = m.body_id ${trace && 'AND t.message_id = m.id'}))`;
  }

  #bind(value: SQLInputValue): string {
    const name = `v${this.#values}`;
    this.#values += 1;
    this.bound[name] = value;
    return `:${name}`;
  }
}

const states = {
  read: 'm.is_read = 1',
  unread: 'm.is_read = 0',
  flagged: 'm.is_flagged = 1',
  unflagged: 'm.is_flagged = 0',
};

const joined = (conditions: string[], operator: 'AND' | 'OR') => {
  if (conditions.length === 0) return operator === 'AND' ? '1' : '0';
  return `(${conditions.join(` ${operator} `)})`;
};

const inTexts = (condition: string) =>
  `(${clock} AND EXISTS (SELECT 1 FROM search s WHERE s.body_id = m.body_id AND ${condition}))`;

const ofContent: ReadonlySet<Field> = new Set<Field>([
  'header',
  'cc',
  'bcc',
  'filename',
  'authenticated',
  'provider',
]);

/** Checks whether a whole query is about the email's content, which no other row contains. */
function isOfContent(query: Query): boolean {
  const terms = termsOf(query);
  return terms.length > 0 && terms.every(({ term }) => ofContent.has(term.field));
}

type PlainSubject = { typed: string; field: 'subject'; part: string } | { not: PlainSubject };

/** Checks whether a query is a term on the subject, or the negation of one. Only `search` rows have their runs of white space folded. */
function isPlainSubject(query: Query): query is Query & PlainSubject {
  if ('not' in query) return isPlainSubject(query.not);
  return 'field' in query && query.field === 'subject' && !/\s/u.test(query.part);
}

/** Checks whether a `search` row answers a whole query. */
function isOfTexts(query: Query): boolean {
  const terms = termsOf(query);
  return terms.length > 0 && terms.every(({ term }) => fields[term.field].texts !== undefined);
}
