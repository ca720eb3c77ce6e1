import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Page, Slice } from '#core/page.ts';
import { boundRefusal, type NewRefusal, type Refusal, type RefusalStore, refusalMs } from './refusal.ts';

type Options = {
  clock: () => Date;
  /** Maximum refusals that wait to be written, in all and of one team, and the time in ms from one write to the next. */
  bounds: { waiting: number; waitingPerTeam: number; writeMs: number };
  limitReached: (name: 'refusals.waiting' | 'refusals.waitingPerTeam') => void;
  onError: (error: unknown) => void;
};

/**
 * Collects the refusals of a process and writes them in batches. Where too many wait, the oldest goes of the sender with the most, in the team
 * with the most: a flood costs others nothing. Refusals that the store does not take are lost.
 */
export function createRefusals(store: RefusalStore, { clock, bounds, limitReached, onError }: Options) {
  const waiting = new Map<Id, NewRefusal[]>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let writtenAt = Number.NEGATIVE_INFINITY;

  const drop = (team: Id, own: NewRefusal[]): void => {
    const bySender = Map.groupBy(own, ({ remoteAddress }) => remoteAddress);
    const [oldest] = largest([...bySender.values()]);
    if (oldest !== undefined) own.splice(own.indexOf(oldest), 1);
    if (own.length === 0) waiting.delete(team);
    count -= 1;
  };
  const write = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (count === 0) return writing;
    const batch = [...waiting.values()].flat();
    waiting.clear();
    count = 0;
    writtenAt = performance.now();
    writing = writing.then(() => store.add(batch, limits.refusals.ofTeam)).catch(onError);
    return writing;
  };
  return {
    /** Takes a refusal, to be written soon. Costs its caller no wait, whatever the store does. */
    note(refusal: NewRefusal): void {
      const { team } = refusal;
      const own = waiting.get(team) ?? [];
      waiting.set(team, own);
      own.push(boundRefusal(refusal));
      count += 1;
      if (own.length > bounds.waitingPerTeam) {
        limitReached('refusals.waitingPerTeam');
        drop(team, own);
      }
      if (count > bounds.waiting) {
        limitReached('refusals.waiting');
        const most = largest([...waiting.values()]);
        if (most[0] !== undefined) drop(most[0].team, most);
      }
      const pauseMs = Math.max(0, writtenAt + bounds.writeMs - performance.now());
      timer ??= setTimeout(write, pauseMs);
    },
    /** Lists the refusals of a team in the last 24 h, newest first. Writes those first that wait in this process. */
    async list(team: Id, page: Page): Promise<Slice<Refusal>> {
      await write();
      return store.list(team, new Date(clock().getTime() - refusalMs), page);
    },
    /** Writes what waits. */
    close: write,
  };
}

/** Returns the longest list, the first of several. Empty where there is none. */
function largest<T>(lists: T[][]): T[] {
  return lists.reduce((most, list) => (list.length > most.length ? list : most), []);
}
