import { signal } from '@preact/signals';
import type { Client } from '../client/client.ts';
import type { List, Refused } from '../client/shapes.ts';
import type { Router } from '../place.ts';

/** Number of refusals that are read at first, and with each press of "Show more". */
export const atOnce = 50;
/** Largest number that one page of the API has. */
export const mostRead = 200;
/** Pauses in ms between two readings, while they are shown and while their number alone is. */
const shownPauseMs = 3000;
const countPauseMs = 15_000;

/** Refusals of the team's mail in the last 24 h. No event tells of them: they are read again while the page is visible. */
export function createRefused(
  { hasLeft, request }: Pick<Client, 'hasLeft' | 'request'>,
  { place }: Pick<Router, 'place'>,
) {
  /** The newest refusals with the number of all. Null until first read. */
  const refused = signal<List<Refused> | null>(null);
  /** Why the latest reading failed. Null if it did not. */
  const refusedError = signal<unknown>(null);
  let wanted = atOnce;

  async function reloadRefused(): Promise<void> {
    const isShown = place.peek().view === 'refused';
    try {
      const read = await request<List<Refused>>('GET', `/api/refusals?limit=${isShown ? wanted : 1}`);
      refusedError.value = null;
      refused.value = read;
    } catch (error) {
      refusedError.value = error;
    }
  }

  async function moreRefused(): Promise<void> {
    wanted = Math.min(wanted + atOnce, mostRead);
    await reloadRefused();
  }

  /** Reads the refusals now and from time to time. Returns the function that ends that. */
  function followRefused(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const next = async () => {
      clearTimeout(timer);
      if (!document.hidden && !hasLeft.peek()) await reloadRefused();
      if (isOver) return;
      clearTimeout(timer);
      timer = setTimeout(next, place.peek().view === 'refused' ? shownPauseMs : countPauseMs);
    };
    const shown = () => void (document.hidden || next());
    void next();
    document.addEventListener('visibilitychange', shown);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', shown);
    };
  }

  hasLeft.subscribe((left) => {
    if (left) refused.value = null;
  });
  return { refused, refusedError, moreRefused, followRefused };
}
