import type { Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Query } from '#core/messages/query.ts';
import type { Wait } from './decide.ts';

/** Maximum delay in ms with which a watch may report a creation that still counts as seen when it happened. */
const watchMs = 250;
/** Maximum time in ms between an email's reception and its event, which two clocks measure. */
const receptionMs = 10_000;

/**
 * Returns the time from which mail counts, and the time from which `within` counts. Kubernetes truncates a creation time to a whole
 * second. `seen` is when an operator saw the creation. If the operator saw it late or not at all, mail from the whole second counts.
 */
export function startTimes(created: Date, seen: Date | undefined): { mail: Date; within: Date } {
  const end = created.getTime() + 1000;
  const seenMs = Math.max(seen?.getTime() ?? Number.POSITIVE_INFINITY, created.getTime());
  const within = new Date(Math.min(seenMs, end));
  return { mail: seenMs < end + watchMs ? within : created, within };
}

/**
 * Limits the search to the time in which mail counts: adds the end of that time once it has passed, and its beginning if no cursor marks
 * it because events were pruned.
 */
export function inTime(query: { all: Query[] }, wait: Wait, created: Date, now: Date): { all: Query[] } {
  const all = [...query.all];
  const end = Date.parse(wait.expiresAt);
  if (now.getTime() >= end) all.push({ field: 'before', typed: wait.expiresAt, at: end });
  const begin = created.getTime() - receptionMs;
  if (wait.cursor === 0) all.push({ field: 'after', typed: new Date(begin).toISOString(), at: begin });
  return { all };
}

/** Finds the number of the last event before a point in time by bisection, starting at the newest event. */
export async function cursorAt(
  journal: Pick<Journal, 'heads' | 'read'>,
  team: Id,
  time: Date,
): Promise<number> {
  let low = 0;
  let high = (await journal.heads([team])).get(team) ?? 0;
  for (let step = 1; low < high; step *= 2) {
    const middle = Math.max(Math.floor((low + high) / 2), high - step);
    const [event] = await journal.read(team, middle, 1);
    if (event === undefined || event.at >= time) high = middle;
    else low = event.number;
  }
  return high;
}
