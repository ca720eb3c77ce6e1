import type { Caller } from '#core/access/caller.ts';
import { Overloaded, unlessGone } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { authenticateWith, type Facts } from '#core/messages/assume.ts';
import { listMessages, type Since, waitForMessages } from '#core/messages/list-messages.ts';
import type { Message } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { type NearMiss, nearMisses } from '#core/messages/near-misses.ts';
import { readMessage } from '#core/messages/read-message.ts';
import type { Job, Requester } from '#core/messages/requester.ts';
import { type Clause, type ClauseResult, patternOf } from './clause.ts';
import { type ClientGate, judgeByGate, openGate } from './client-gate.ts';
import type { AssertedMail, ClientsFound } from './evaluate.ts';

/**
 * Messages that an assertion checks: the newest `count`. `conditions` are the parts of the filter, by name. `address` is only shown to
 * people.
 */
export type Find = {
  filter: MessageFilter;
  conditions: { name: string; filter: MessageFilter }[];
  address: string | null;
  since: Since;
  waitMs: number;
  count: number;
};

/**
 * Statement about messages. Every clause must hold for every message. At most one clause concerns mail clients. `facts`: the facts by
 * which SPF, DKIM, DMARC, ARC and the audit judge the messages, or null to use the results of their delivery.
 */
export type Assertion = { find: Find; expect: Clause[]; facts: Facts | null };

/**
 * Result of an assertion. `messageId` is the newest message's ID, or null if there were too few messages. For several messages, a clause
 * has the result of the first message that fails it.
 */
export type Verdict = {
  passed: boolean;
  messageId: Id | null;
  clauses: ClauseResult[];
  nearMisses: NearMiss[];
};

type ReadTerms = Pick<Caller, 'team' | 'userId' | 'keyId'>;

type Ports = Parameters<typeof waitForMessages>[0] &
  Parameters<typeof nearMisses>[0] &
  Parameters<typeof openGate>[0] &
  Parameters<typeof authenticateWith>[0] & {
    checkPatterns: Job<[clauses: Clause[]], void>;
    judgeClauses: Job<[mail: AssertedMail, clauses: Clause[]], ClauseResult[]>;
  };

/**
 * Finds messages, waits for them if requested, and evaluates clauses on them. A message that is deleted before it is read does not count.
 * Throws Invalid for an unknown message, an unknown mail client or an invalid regular expression; throws TooManyWaits, TooMany,
 * Overloaded.
 */
export async function assertMail(
  ports: Ports,
  { team, userId, keyId }: ReadTerms,
  { find, expect, facts }: Assertion,
  signal: AbortSignal,
): Promise<Verdict> {
  // Refuses unknown names and invalid regular expressions before the wait.
  const requester = { user: userId, signal };
  const gate = await openGate(ports, team, requester, expect);
  if (expect.some((clause) => patternOf(clause) !== null))
    await ports.checkPatterns(requester, async () => [expect]);
  const found = await findMessages(ports, { team, userId, keyId }, find, signal);
  const isEnough = found.length >= find.count;
  const judged = isEnough ? await judgeEach(ports, team, requester, found, { expect, gate, facts }) : [];
  const there = isEnough ? judged.length : found.length;
  if (there < find.count) {
    if (signal.aborted) throw new Overloaded('The wait was cut short');
    const missed = await nearMisses(ports, team, find.conditions, find.since, requester);
    return { passed: false, messageId: null, clauses: [presence(find, there)], nearMisses: missed ?? [] };
  }
  const clauses = expect.length === 0 ? [presence(find, there)] : joined(judged);
  return {
    passed: clauses.every(({ passed }) => passed),
    messageId: judged[0]?.id ?? null,
    clauses,
    nearMisses: [],
  };
}

async function findMessages(
  ports: Ports,
  { team, ...waiter }: ReadTerms,
  { filter, since, waitMs, count }: Find,
  signal: AbortSignal,
): Promise<Id[]> {
  const page = { page: 1, limit: count };
  const terms = { waiter, user: waiter.userId, count, waitMs, signal };
  const { items } =
    waitMs === 0
      ? await listMessages(ports, team, filter, since, page, terms)
      : (await waitForMessages(ports, team, { filter }, since, page, terms)).list;
  return items.map(({ id }) => id);
}

type Judged = { id: Id; clauses: ClauseResult[] };

/** Evaluates the clauses on one message after another. Skips messages that were deleted since the list was read. */
async function judgeEach(
  ports: Ports,
  team: Id,
  requester: Requester,
  ids: Id[],
  { expect, gate, facts }: Pick<Assertion, 'expect' | 'facts'> & { gate: ClientGate | null },
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const id of ids) {
    const clauses = await ports.judgeClauses(requester, async () => {
      const message = await readIfThere(ports, { team, userId: requester.user }, id, facts);
      if (message === null) return null;
      return [assertedMail(message, gate && (await judgeByGate(ports, requester, message, gate))), expect];
    });
    if (clauses !== null) judged.push({ id, clauses });
  }
  return judged;
}

async function readIfThere(
  ports: Ports,
  { team, userId }: Pick<Caller, 'team' | 'userId'>,
  id: Id,
  facts: Facts | null,
): Promise<Message | null> {
  return unlessGone(
    facts === null ? readMessage(ports, team, id) : authenticateWith(ports, userId, team, id, facts),
  );
}

/** Copies only the parts that clauses read, because everything has to be copied to the thread that evaluates them. */
function assertedMail({ content }: Message, clients: ClientsFound | null): AssertedMail {
  const { subject, from, text, html, htmlText, codes, links } = content;
  const { headers, authentication, audit, attachments } = content;
  const parts = { subject, from, text, html, codes, links, headers, authentication, audit, attachments };
  return { ...parts, ...(htmlText && { htmlText }), clients };
}

/** Returns the result of the search for messages. */
function presence({ conditions, address, count }: Find, found: number): ClauseResult {
  const noun = count === 1 ? 'a message' : `${count} messages`;
  const others = conditions.filter(({ name }) => address === null || name !== 'address');
  const to = address === null ? '' : ` to ${address}`;
  const named = others.map(({ name }) => name).join(', ');
  return {
    name: noun,
    passed: found >= count,
    expected: named === '' ? noun + to : `${noun}${to} that ${count === 1 ? 'matches' : 'match'} ${named}`,
    actual: found === 0 ? 'none' : `${found}`,
  };
}

/** Joins the results of several messages: for each clause, the first failed result, or else the first message's. */
function joined(judged: Judged[]): ClauseResult[] {
  const [first] = judged;
  if (first === undefined || judged.length === 1) return first?.clauses ?? [];
  return first.clauses.map((result, at) => {
    const { id, clauses } = judged.find((one) => one.clauses[at]?.passed === false) ?? first;
    const clause = clauses[at] ?? result;
    return { ...clause, actual: `${clause.actual ?? 'nothing'} (message ${id})` };
  });
}
