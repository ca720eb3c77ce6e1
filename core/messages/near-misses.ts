import { Invalid, SearchTimeout, StoreUnavailable, TooMany } from '#core/errors.ts';
import type { Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { type Asker, type Since, startOf } from './list-messages.ts';
import type { MessageStore, MessageSummary } from './message.ts';
import type { MessageFilter } from './message-filter.ts';
import type { ReadPorts } from './read-message.ts';
import { visibilityAt } from './retention.ts';
import { laneOf, type SearchTurns } from './search-turns.ts';

/** One thing that a wait asks for: its name, and the filter that it is by itself. */
export type Condition = { name: string; filter: MessageFilter };

/**
 * Message that came and failed some conditions of a wait, by their names. `to` is the recipient that the envelope names, or, of a long
 * mail, the first of its header.
 */
export type NearMiss = { id: Id; to: string; subject: string; failed: string[] };

type Ports = ReadPorts & {
  messages: Pick<MessageStore, 'list'>;
  journal: Pick<Journal, 'messageNumber'>;
  searches: SearchTurns;
};

/** Number of the newest messages that are compared, and of those that are returned. */
const mostCompared = 20;
const mostReturned = 5;
/** Bytes of a mail from which it is not read as a whole, which would delay others. */
const longBytes = 65_536;

/**
 * Finds the messages that came since a start and fail the fewest conditions, then the newest. Compares the newest messages of the
 * owner, without copies in Sent. All of it is one search of the asker. Returns none where that is refused or takes too long.
 */
export async function nearMisses(
  ports: Ports,
  owner: Id,
  conditions: Condition[],
  since: Since,
  asker: Asker = {},
): Promise<NearMiss[]> {
  const [first] = conditions;
  if (first === undefined) return [];
  const { messages, searches, clock, retentionDays } = ports;
  const visibility = visibilityAt(clock(), retentionDays);
  const { filter: heaviest } = conditions.find(({ filter }) => laneOf(filter) === 'texts') ?? first;
  try {
    const after = (await startOf(ports, owner, since)) ?? 0;
    return await searches.search(asker.user ?? owner, heaviest, asker, async (terms) => {
      const missed = await compare(conditions, after, async (filter, limit) => {
        const page = { page: 1, limit };
        return (await messages.list(owner, filter, page, visibility, (work) => work(terms))).items;
      });
      const told: NearMiss[] = [];
      for (const { failed, message } of missed) {
        const { id, subject, sizeBytes, toAddresses } = message;
        const isLong = sizeBytes > longBytes;
        const found = isLong ? null : await terms.turn(() => messages.find(owner, id, visibility));
        // A message can have been deleted meanwhile.
        if (isLong || found !== null)
          told.push({ id, to: found?.deliveredTo ?? toAddresses[0] ?? '', subject, failed });
      }
      return told;
    });
  } catch (error) {
    if (isPassing(error)) return [];
    throw error;
  }
}

type Missed = { message: MessageSummary; failed: string[] };

/** Reads the newest messages of a filter. */
type Read = (filter: MessageFilter, limit: number) => Promise<MessageSummary[]>;

/** Compares the newest messages with each condition by itself. */
async function compare(conditions: Condition[], after: number, read: Read): Promise<Missed[]> {
  const candidates = await read(after > 0 ? { after } : {}, mostCompared);
  const oldest = candidates.at(-1);
  if (oldest === undefined) return [];
  const failed = new Map(candidates.map(({ id }) => [id, [] as string[]]));
  for (const { name, filter } of conditions) {
    // Reads the candidates alone, and leaves places for mail that comes meanwhile.
    const passing = await read({ ...filter, after: oldest.number - 1 }, 2 * mostCompared);
    const ids = new Set(passing.map(({ id }) => id));
    for (const [id, names] of failed) if (!ids.has(id)) names.push(name);
  }
  return candidates
    .map((message) => ({ message, failed: failed.get(message.id) ?? [] }))
    .filter((one) => one.failed.length > 0)
    .sort((one, other) => one.failed.length - other.failed.length)
    .slice(0, mostReturned);
}

/** Checks whether a later call may succeed. An `after` can have left the journal since the wait began. */
function isPassing(error: unknown): boolean {
  return [TooMany, SearchTimeout, StoreUnavailable, Invalid].some((kind) => error instanceof kind);
}
