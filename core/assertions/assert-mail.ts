import type { Caller } from '#core/access/caller.ts';
import { inspectMessage } from '#core/checks/check-message.ts';
import { chooseClients, judgeClients } from '#core/checks/client-support.ts';
import { NotFound, Overloaded } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { listMessages, type Since, waitForMessages } from '#core/messages/list-messages.ts';
import type { Message } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { type NearMiss, nearMisses } from '#core/messages/near-misses.ts';
import { readMessage } from '#core/messages/read-message.ts';
import type { Clause, ClauseResult } from './clause.ts';
import type { AssertedMail } from './evaluate.ts';

/** Messages that an assertion is about: the `count` newest ones. `conditions` are the parts of the filter, by name. */
export type Find = {
  filter: MessageFilter;
  conditions: { name: string; filter: MessageFilter }[];
  since: Since;
  waitMs: number;
  count: number;
};

/** Statement about messages. Each clause must hold for each of them. At most one clause is on mail clients. */
export type Assertion = { find: Find; expect: Clause[] };

/**
 * Result of an assertion. `messageId` is that of the newest message, null where there were too few. A clause of several
 * messages has the result of the first that does not satisfy it.
 */
export type Verdict = {
  passed: boolean;
  messageId: Id | null;
  clauses: ClauseResult[];
  nearMisses: NearMiss[];
};

/** Evaluates clauses in a thread of its own. */
export type ClauseJudge = {
  /** Evaluates clauses on a mail, users in turn. Throws TooMany and Overloaded. */
  judge(user: Id, mail: AssertedMail, clauses: Clause[]): Promise<ClauseResult[]>;
};

type Ports = Parameters<typeof waitForMessages>[0] &
  Parameters<typeof nearMisses>[0] &
  Parameters<typeof inspectMessage>[0] & { clauseJudge: ClauseJudge };

/**
 * Finds messages, waits for them where that is wanted, and evaluates clauses on them. A message that is deleted before it was
 * read does not count. Throws Invalid for a message or mail clients that are not known, TooManyWaits, TooMany, Overloaded.
 */
export async function assertMail(
  ports: Ports,
  { team, userId }: Pick<Caller, 'team' | 'userId'>,
  { find, expect }: Assertion,
  signal: AbortSignal,
): Promise<Verdict> {
  const ofClients = expect.find((clause) => clause.on === 'clients');
  // Names that are not known are refused before the wait.
  const chosen = chooseClients(ports.inspector.table, ofClients?.of ?? null);
  const found = await findMessages(ports, { team, userId }, find, signal);
  const messages = await readEach(ports, team, found);
  if (messages.length < find.count) {
    if (signal.aborted) throw new Overloaded('The wait was broken off before its time was over');
    const asker = { user: userId, signal };
    const missed = await nearMisses(ports, team, find.conditions, find.since, asker);
    return { passed: false, messageId: null, clauses: [presence(find, messages.length)], nearMisses: missed };
  }
  const results: ClauseResult[][] = [];
  for (const message of messages) {
    const clientScore = ofClients === undefined ? null : await scoreOf(ports, userId, message, chosen);
    results.push(await ports.clauseJudge.judge(userId, assertedMail(message, clientScore), expect));
  }
  const ids = messages.map(({ id }) => id);
  const clauses = expect.length === 0 ? [presence(find, messages.length)] : joined(results, ids);
  return {
    passed: clauses.every(({ passed }) => passed),
    messageId: ids[0] ?? null,
    clauses,
    nearMisses: [],
  };
}

async function findMessages(
  ports: Ports,
  { team, userId }: Pick<Caller, 'team' | 'userId'>,
  { filter, since, waitMs, count }: Find,
  signal: AbortSignal,
): Promise<Id[]> {
  const page = { page: 1, limit: count };
  const terms = { user: userId, count, waitMs, signal };
  const { items } =
    waitMs === 0
      ? await listMessages(ports, team, filter, since, page, terms)
      : (await waitForMessages(ports, team, { filter }, since, page, terms)).list;
  return items.map(({ id }) => id);
}

/**
 * Reads messages one after the other, since each may be large. Leaves out those that were deleted since the list was read.
 */
async function readEach(ports: Ports, team: Id, ids: Id[]): Promise<Message[]> {
  const messages: Message[] = [];
  for (const id of ids) {
    const message = await readMessage(ports, team, id).catch((error) => {
      if (error instanceof NotFound) return null;
      throw error;
    });
    if (message !== null) messages.push(message);
  }
  return messages;
}

async function scoreOf(ports: Ports, user: Id, { content }: Message, chosen: string[]): Promise<number> {
  const { uses } = await inspectMessage(ports, user, content);
  return judgeClients(ports.inspector.table, uses, chosen).score;
}

/** Copies the parts that clauses look at, since all else would be copied to the thread that judges them. */
function assertedMail({ content }: Message, clientScore: number | null): AssertedMail {
  const { subject, from, text, html, codes, links, headers, authentication, audit, attachments } = content;
  const parts = { subject, from, text, html, codes, links, headers, authentication, audit, attachments };
  return { ...parts, clientScore };
}

/** Makes the result of the search for messages. */
function presence({ conditions, count }: Find, found: number): ClauseResult {
  const noun = count === 1 ? 'a message' : `${count} messages`;
  const named = conditions.map(({ name }) => name).join(', ');
  return {
    name: noun,
    passed: found >= count,
    expected: named === '' ? noun : `${noun} that ${count === 1 ? 'matches' : 'match'} ${named}`,
    actual: found === 0 ? 'none' : `${found}`,
  };
}

/** Joins the results of several messages: of each clause the first that did not pass, or that of the first message. */
function joined(results: ClauseResult[][], ids: Id[]): ClauseResult[] {
  const [first = [], ...others] = results;
  return first.map((result, at) => {
    if (others.length === 0) return result;
    const failed = results.findIndex((clauses) => clauses[at]?.passed === false);
    const clause = results[failed]?.[at] ?? result;
    return { ...clause, actual: `${clause.actual ?? 'nothing'} (message ${ids[Math.max(0, failed)]})` };
  });
}
