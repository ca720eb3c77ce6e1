import type { Payers } from '#core/access/payers.ts';
import type { RowLists } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Page, Slice } from '#core/page.ts';
import { boundRefusal, type NewRefusal, type Refusal, type RefusalStore, refusalMs } from './refusal.ts';

type Options = {
  payers: Pick<Payers, 'known'>;
  clock: () => Date;
  /** Maximum number of refusals waiting to be written, in total and per payer, and time in ms between two writes. */
  bounds: { waiting: number; waitingPerTeam: number; writeMs: number };
  limitReached: (name: 'refusals.waiting' | 'refusals.waitingPerTeam') => void;
  onError: (error: unknown) => void;
};

/**
 * Collects a process's refusals and writes them in batches. If too many are waiting, finds the payer with the most refusals, and drops
 * the oldest from that payer's most frequent sender, so a flood does not affect others. Refusals that the store cannot write are lost.
 */
export function createRefusals(
  { refusals, rows }: { refusals: RefusalStore; rows: RowLists },
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
    writing = writing.then(() => refusals.add(batch, limits.refusals.ofTeam)).catch(onError);
    return writing;
  };
  return {
    /** Adds a refusal, which will be written soon. Never delays its caller, whatever the store does. */
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
    /**
     * Lists a team's refusals of the last 24 h, newest first, or only the refusal with the given ID. First writes the refusals that are
     * waiting in this process.
     */
    async list(team: Id, page: Page, id?: Id): Promise<Slice<Refusal>> {
      await write();
      const after = new Date(clock().getTime() - refusalMs);
      return rows.list('refusals', { team, after, id }, page);
    },
    /** Writes the waiting refusals. */
    close: write,
  };
}

/** Returns the longest list, or the first of several equally long lists. Returns an empty list if there are no lists. */
function largest<T>(lists: Map<unknown, T[]>): T[] {
  return [...lists.values()].reduce((most, list) => (list.length > most.length ? list : most), []);
}
