import { Invalid, SearchTimeout, StoreUnavailable, TooMany } from '#core/errors.ts';
import type { Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';
import { addressDistance } from './address-distance.ts';
import { type ReadTerms, type Since, startOf } from './list-messages.ts';
import type { MessageStore, MessageSummary } from './message.ts';
import type { MessageFilter } from './message-filter.ts';
import { type Query, termsOf } from './query.ts';
import type { ReadPorts } from './read-message.ts';
import { visibilityAt } from './retention.ts';
import { laneOf, type SearchTerms, type SearchTurns } from './search-turns.ts';

/** One condition of a wait: its name, and a filter for this condition alone. */
export type Condition = { name: string; filter: MessageFilter };

/**
 * Message that arrived but did not meet some of a wait's conditions, with these conditions' names. `to` is the recipient in the envelope
 * or, if the email is long, the first recipient in its header.
 */
export type MissedMail = { id: Id; to: string; subject: string; failed: string[] };

export type NearMiss = MissedMail | MissedRefusal;

type Ports = ReadPorts &
  RefusalPorts & {
    messages: Pick<MessageStore, 'list'>;
    journal: Pick<Journal, 'messageNumber'>;
    searches: SearchTurns;
  };

/** Maximum messages to compare, counted separately for the requested address and for others, and maximum messages to return. */
const mostCompared = 20;
const mostReturned = 5;
/** Number of the newest messages, and of the newest refusals, that are searched for similar addresses. */
const mostSeen = 100;
/** Size in bytes above which an email is not read in full, because reading it would delay others. */
const longBytes = 65_536;
/** Places that are reserved for refusals of the requested address if many emails to it arrived. */
const refusalPlaces = 2;

/**
 * Finds what arrived or was refused since a start, in this order: emails to the requested address, by the number of conditions that they
 * fail; refusals of that address, and refusals that name no address; emails to similar addresses, and refusals of these; other emails.
 * Each group is newest first, without copies in Sent. Counts as one search by the user who asks. Returns null if that search is refused
 * or takes too long.
 */
export async function nearMisses(
  ports: Ports,
  owner: Id,
  conditions: Condition[],
  since: Since,
  asker: ReadTerms = {},
): Promise<NearMiss[] | null> {
  const [first] = conditions;
  if (first === undefined) return [];
  const { messages, searches, clock, retentionDays } = ports;
  const visibility = visibilityAt(clock(), retentionDays);
  const { filter: heaviest } = conditions.find(({ filter }) => laneOf(filter) === 'texts') ?? first;
  try {
    const after = (await startOf(ports, owner, since)) ?? 0;
    return await searches.search(asker.user ?? owner, heaviest, asker, async (terms) => {
      const read: Read = async (filter, limit) => {
        const page = { page: 1, limit };
        return (await messages.list(owner, filter, page, visibility, (work) => work(terms))).items;
      };
      const found = await compare(conditions, after, read);
      const asked = addressOf(conditions);
      const refused = asked === null ? [] : await nearRefusals(ports, owner, asked.address, after);
      const told: NearMiss[] = [];
      for (const one of inOrder(found, refused)) {
        const miss = 'refusal' in one ? one.refusal : await missedMail(ports, owner, one, terms);
        if (miss !== null) told.push(miss);
      }
      return told;
    });
  } catch (error) {
    if (isPassing(error)) return null;
    throw error;
  }
}

/** `unlike`: difference between the message's recipient and the requested address, up to 3. It is 0 if no address was requested. */
type Missed = { message: MessageSummary; failed: string[]; unlike: number };

type Read = (filter: MessageFilter, limit: number) => Promise<MessageSummary[]>;

type Asked = { address: string; filter: MessageFilter };

/** Returns the complete address that the conditions request, with its condition, or null. */
function addressOf(conditions: Condition[]): Asked | null {
  for (const { filter } of conditions) {
    const terms = filter.query === undefined ? [] : termsOf(filter.query);
    for (const { term, negated } of terms) {
      const isAddress = term.field === 'address' || (term.field === 'to' && term.typed.includes('@'));
      if (isAddress && !negated) return { address: term.typed, filter };
    }
  }
  return null;
}

/**
 * Checks the newest messages against each condition separately: first messages to the requested address, then messages to similar
 * addresses, then others.
 */
async function compare(conditions: Condition[], after: number, read: Read): Promise<Missed[]> {
  const start = after > 0 ? { after } : {};
  const asked = addressOf(conditions);
  if (asked === null) return failing(conditions, await read(start, mostCompared), 2 * mostCompared, read);
  const sent = await read({ ...asked.filter, ...start }, mostCompared);
  const others = conditions.filter(({ filter }) => filter !== asked.filter);
  const within = others.map(({ name, filter }) => ({ name, filter: bothOf(asked.filter, filter) }));
  const own = await failing(within, sent, 2 * mostCompared, read);
  if (own.length >= mostReturned) return own;
  const ids = new Set(sent.map(({ id }) => id));
  const newest = (await read(start, mostSeen)).filter(({ id }) => !ids.has(id));
  const by = newest.map((message) => ({ message, unlike: unlikeOf(asked.address, message.toAddresses) }));
  const like = by.filter(({ unlike }) => unlike < 3).sort((one, other) => one.unlike - other.unlike);
  const chosen = new Set([...like.slice(0, mostReturned), ...by.slice(0, mostCompared)]);
  // The limit leaves places for mail that arrives in the meantime.
  const compared = by.filter((one) => chosen.has(one)).map(({ message }) => message);
  const rest = await failing(conditions, compared, 2 * mostSeen, read);
  const unlikes = new Map(by.map(({ message, unlike }) => [message.id, unlike]));
  return [...own, ...rest.map((one) => ({ ...one, unlike: unlikes.get(one.message.id) ?? 3 }))];
}

const unlikeOf = (asked: string, addresses: string[]) =>
  // A blind copy's recipient, whom no header names, ranks like any other recipient.
  Math.max(
    1,
    addresses.reduce((least, address) => Math.min(least, addressDistance(asked, address)), 3),
  );

/**
 * Returns the messages that fail some of the conditions, newest first, with these conditions' names. Runs a separate read for each
 * condition.
 */
async function failing(
  conditions: Condition[],
  candidates: MessageSummary[],
  most: number,
  read: Read,
): Promise<Missed[]> {
  const oldest = candidates.at(-1);
  if (oldest === undefined) return [];
  const failed = new Map(candidates.map(({ id }) => [id, [] as string[]]));
  for (const { name, filter } of conditions) {
    const passing = await read({ ...filter, after: oldest.number - 1 }, most);
    const ids = new Set(passing.map(({ id }) => id));
    for (const [id, names] of failed) if (!ids.has(id)) names.push(name);
  }
  return candidates
    .map((message) => ({ message, failed: failed.get(message.id) ?? [], unlike: 0 }))
    .filter((one) => one.failed.length > 0);
}

function bothOf(one: MessageFilter, other: MessageFilter): MessageFilter {
  const all = [one.query, other.query].filter((query): query is Query => query !== undefined);
  return { ...one, ...other, query: { all } };
}

/** Sorts emails and refusals, and returns the first of them. */
function inOrder(found: Missed[], refused: Refused[]): (Missed | Refused)[] {
  const mails = found.toSorted((one, other) => {
    return one.unlike - other.unlike || one.failed.length - other.failed.length;
  });
  const own = mails.filter(({ unlike }) => unlike === 0);
  const ownRefused = refused.filter(({ unlike }) => unlike === 0);
  const places = mostReturned - Math.min(refusalPlaces, ownRefused.length);
  const others = [...refused, ...mails].filter(({ unlike }) => unlike > 0);
  return [
    ...own.slice(0, places),
    ...ownRefused,
    ...others.sort((one, other) => one.unlike - other.unlike),
  ].slice(0, mostReturned);
}

/** Returns an email with its recipient, or null if it has been deleted in the meantime. */
async function missedMail(
  { messages, clock, retentionDays }: Ports,
  owner: Id,
  { message, failed }: Missed,
  terms: SearchTerms,
): Promise<MissedMail | null> {
  const { id, subject, sizeBytes, toAddresses } = message;
  if (sizeBytes > longBytes) return { id, to: toAddresses[0] ?? '', subject, failed };
  const visibility = visibilityAt(clock(), retentionDays);
  const found = await terms.turn(() => messages.find(owner, id, visibility));
  return found && { id, to: found.deliveredTo, subject, failed };
}

/**
 * Checks whether a later call may succeed. Invalid counts, because the message in `after` may have left the journal since the wait began.
 */
function isPassing(error: unknown): boolean {
  return [TooMany, SearchTimeout, StoreUnavailable, Invalid].some((kind) => error instanceof kind);
}

/** Email, recipient or sign-in that was refused. `to` is '' if the refusal names no recipient. */
type MissedRefusal = { refusalId: Id; to: string; reply: string; at: Date };

/**
 * Refusal, and the difference between its recipient and the requested address. The difference is 0.5 if the refusal names no recipient.
 */
type Refused = { refusal: MissedRefusal; unlike: number };

type RefusalPorts = {
  refusals: {
    list(team: Id, page: Page): Promise<Slice<{ id: Id; at: Date; rcptTo: string[]; reply: string }>>;
  };
  journal: Pick<Journal, 'read'>;
  clock: () => Date;
};

/** Maximum number of refusals to return that do not name the requested address. */
const mostOthers = 2;
/** Maximum age in ms of a refusal that does not name the requested address. An older one is unlikely to concern the awaited email. */
const recentMs = 300_000;

/**
 * Lists refusals of an address since one of the team's events, and recent refusals of similar addresses and of no recipient, newest
 * first. Lists each combination of address and reply once.
 */
async function nearRefusals(
  { refusals, journal, clock }: RefusalPorts,
  team: Id,
  address: string,
  after: number,
): Promise<Refused[]> {
  const { items } = await refusals.list(team, { page: 1, limit: mostSeen });
  if (items.length === 0) return [];
  const [start] = after > 0 ? await journal.read(team, after - 1, 1) : [];
  const since = start?.number === after ? start.at.getTime() : 0;
  const recent = clock().getTime() - recentMs;
  const near = items
    .map(({ id, rcptTo, reply, at }) => {
      const named = rcptTo.map((to) => ({ to, unlike: addressDistance(address, to) }));
      const [nearest = { to: '', unlike: 0.5 }] = named.sort((one, other) => one.unlike - other.unlike);
      const { to, unlike } = nearest;
      return { refusal: { refusalId: id, to, reply, at }, unlike };
    })
    .filter(({ refusal, unlike }) => {
      const at = refusal.at.getTime();
      return at >= since && (unlike === 0 || (unlike < 3 && at >= recent));
    });
  const by = Map.groupBy(near, ({ refusal: { to, reply }, unlike }) => `${unlike === 0 ? '' : to} ${reply}`);
  const once = [...by.values()].flatMap((same) => same.slice(0, 1));
  return [
    ...once.filter(({ unlike }) => unlike === 0),
    ...once.filter(({ unlike }) => unlike > 0).slice(0, mostOthers),
  ];
}
