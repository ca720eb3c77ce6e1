import type { Payers } from '#core/access/payers.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Page, Slice } from '#core/page.ts';
import { boundRefusal, type NewRefusal, type Refusal, type RefusalStore, refusalMs } from './refusal.ts';

type Options = {
  payers: Pick<Payers, 'known'>;
  clock: () => Date;
  /** Maximum refusals that wait to be written, in all and of one payer, and the time in ms from one write to the next. */
  bounds: { waiting: number; waitingPerTeam: number; writeMs: number };
  limitReached: (name: 'refusals.waiting' | 'refusals.waitingPerTeam') => void;
  onError: (error: unknown) => void;
};

/**
 * Collects the refusals of a process and writes them in batches. Where too many wait, the oldest goes of the sender with the most, of the
 * payer with the most: a flood costs others nothing. Refusals that the store does not take are lost.
 */
export function createRefusals(
  store: RefusalStore,
  { payers, clock, bounds, limitReached, onError }: Options,
) {
  let waiting: NewRefusal[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let writtenAt = Number.NEGATIVE_INFINITY;

  const drop = (own: NewRefusal[]): void => {
    const [oldest] = largest(Map.groupBy(own, ({ remoteAddress }) => remoteAddress));
    waiting = waiting.filter((refusal) => refusal !== oldest);
  };
  const write = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return writing;
    const batch = waiting;
    waiting = [];
    writtenAt = performance.now();
    writing = writing.then(() => store.add(batch, limits.refusals.ofTeam)).catch(onError);
    return writing;
  };
  return {
    /** Takes a refusal, to be written soon. Costs its caller no wait, whatever the store does. */
    note(refusal: NewRefusal): void {
      waiting.push(boundRefusal(refusal));
      const byPayer = Map.groupBy(waiting, ({ team }) => payers.known(team));
      const own = byPayer.get(payers.known(refusal.team)) ?? [];
      if (own.length > bounds.waitingPerTeam) {
        limitReached('refusals.waitingPerTeam');
        drop(own);
      } else if (waiting.length > bounds.waiting) {
        limitReached('refusals.waiting');
        drop(largest(byPayer));
      }
      const pauseMs = Math.max(0, writtenAt + bounds.writeMs - performance.now());
      timer ??= setTimeout(write, pauseMs);
    },
    /** Lists the refusals of a team in the last 24 h, newest first, or that with an id. Writes those first that wait in this process. */
    async list(team: Id, page: Page, id?: Id): Promise<Slice<Refusal>> {
      await write();
      return store.list(team, new Date(clock().getTime() - refusalMs), page, id);
    },
    /** Writes what waits. */
    close: write,
  };
}

/** Returns the longest list, the first of several. Empty where there is none. */
function largest<T>(lists: Map<unknown, T[]>): T[] {
  return [...lists.values()].reduce((most, list) => (list.length > most.length ? list : most), []);
}
