import { setImmediate as turn } from 'node:timers/promises';
import type { ClientSession, Filter } from 'mongodb';
import { readContent } from '#adapters/stores/mongo/bodies/bodies.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { unfilledHint } from '#adapters/stores/mongo/schema/indexes.ts';
import { idsOf, type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { unlessGone } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Visibility } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import type { Query, Term } from '#core/messages/query.ts';
import { contentFacts, matches } from '#core/query/matches.ts';
import { unexpired } from './message-rows.ts';
import { type Scope, snapshot } from './message-scope.ts';
import { distinctTerms, lookUpPieces } from './message-search.ts';
import { contentNeed, exactCondition, type QueryFacts, wideCondition, wideTerm } from './query-conditions.ts';

type Rows = Filter<MessageRow>;

/** Maximum rows read at a time, and maximum contents, with the bytes of their emails. */
const most = { rows: 500, contents: 50, bytes: 4_194_304 };

/**
 * Returns the condition of a filter's query on rows in its scope, or null if there is no query. First reads the facts that rows do not
 * contain.
 */
export async function queryCondition(
  context: Context,
  session: ClientSession,
  owner: Id,
  filter: MessageFilter,
  scope: Pick<Scope, 'rows' | 'hint'>,
  visibility: Visibility,
): Promise<Rows | null> {
  const { query } = filter;
  if (query === undefined) return null;
  const options = { session, ...snapshot, maxTimeMS: limits.answers.searchMs };
  const unfilled = await context.collections.messages.findOne(
    { traits: null },
    { ...options, hint: unfilledHint, projection: { _id: 1 } },
  );
  const facts: QueryFacts = {
    now: visibility.now,
    inPieces: await lookUpPieces(context, owner, filter, options),
    places: await findPlaces(context, options, owner, query),
    byContent: new Map(),
    unfilled: unfilled !== null,
  };
  const visible: Rows = { ...scope.rows, ...unexpired(visibility) };
  await compareContents(context, options, query, facts, { rows: visible, hint: scope.hint });
  return exactCondition(query, facts);
}

type Options = { session: ClientSession; maxTimeMS: number };

async function findPlaces(
  { collections: { mailboxes, accounts, domains } }: Context,
  options: Options,
  owner: Id,
  query: Query,
): Promise<Map<Term, Rows>> {
  const places = new Map<Term, Rows>();
  for (const term of distinctTerms(query)) {
    if (term.field === 'in') {
      const found = await idsOf(mailboxes, { owner, pathKey: term.value, ...notDeleted }, options);
      places.set(term, { mailboxId: { $in: found } });
    } else if (term.field === 'account') {
      const found = await idsOf(accounts, { owner, address: term.value, ...notDeleted }, options);
      places.set(term, { accountId: { $in: found } });
    } else if (term.field === 'domain') {
      const [domainId = 0] = await idsOf(domains, { owner, name: term.value, ...notDeleted }, options);
      places.set(term, { accountId: { $in: await idsOf(accounts, { domainId, ...notDeleted }, options) } });
    }
  }
  return places;
}

const comparedFields = { mailId: 1, sizeBytes: 1, traits: 1, copy: 1, deliveredTo: 1, envelope: 1 } as const;
type ComparedRow = Pick<MessageRow, '_id' | keyof typeof comparedFields>;

/**
 * Reads the contents of the messages that may match, and records which terms they match. Yields to other work every few milliseconds,
 * since some comparisons take that long for an email with a long header.
 */
async function compareContents(
  context: Context,
  options: Options,
  query: Query,
  facts: QueryFacts,
  { rows, hint }: Pick<Scope, 'rows' | 'hint'>,
): Promise<void> {
  const wanted = distinctTerms(query).filter((term) => contentNeed(term, facts) !== null);
  if (wanted.length === 0) return;
  for (const term of wanted) facts.byContent.set(term, []);
  const { messages } = context.collections;
  const candidates: Rows = {
    $and: [rows, wideCondition(query, facts), { $or: wanted.map((term) => neededRows(term, facts)) }],
  };
  const found = messages
    .find<ComparedRow>(candidates, { ...options, hint, projection: comparedFields })
    .batchSize(most.rows);
  let some: ComparedRow[] = [];
  let bytes = 0;
  const compare = async () => {
    const notes = await context.bodies.notes(
      some.map(({ mailId }) => mailId),
      options,
    );
    let begun = performance.now();
    for (const row of some) {
      if (performance.now() - begun > limits.answers.turnMs) {
        await turn();
        begun = performance.now();
      }
      const note = notes.get(row.mailId);
      const content = note && (await unlessGone(readContent(context, row.mailId, note)));
      if (!content) continue;
      const isFilled = row.traits !== undefined && row.traits !== null;
      const mail = contentFacts(row, content, content.html !== null);
      for (const term of wanted) {
        if (isFilled && contentNeed(term, facts) === 'unfilled') continue;
        if (matches(term, mail)) facts.byContent.get(term)?.push(row._id);
      }
    }
    some = [];
    bytes = 0;
  };
  for await (const row of found) {
    some.push(row);
    bytes += row.sizeBytes;
    if (some.length >= most.contents || bytes >= most.bytes) await compare();
  }
  if (some.length > 0) await compare();
}

const neededRows = (term: Term, facts: QueryFacts): Rows =>
  contentNeed(term, facts) === 'unfilled' ? { traits: null } : wideTerm(term, facts);
