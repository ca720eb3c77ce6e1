import { signal } from '@preact/signals';
import type { Client } from '../client/client.ts';
import type { List, Refused } from '../client/shapes.ts';
import { repeat } from '../parts/repeat.ts';
import type { Router } from '../place.ts';

/** Number of refusals read at first, and with each press of "Show more". */
export const atOnce = 50;
/** Maximum refusals on one API page. */
export const mostRead = 200;
/** Intervals in ms between two reads: while the refusals are shown, and while only their number is shown. */
const shownPauseMs = 3000;
const countPauseMs = 15_000;

/**
 * Creates the state of refusals of the team's mail in the last 24 h. Refusals have no events, so they are polled while the page is
 * visible.
 */
export function createRefused(
  { hasLeft, request }: Pick<Client, 'hasLeft' | 'request'>,
  { place }: Pick<Router, 'place'>,
) {
  /** Newest refusals with the total number. Null until first read. */
  const refused = signal<List<Refused> | null>(null);
  /** Reason why the latest read failed. Null if it succeeded. */
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

  /** Reads the refusals now and periodically. Returns a function that stops this. */
  function followRefused(): () => void {
    const read = async () => hasLeft.peek() || reloadRefused();
    void read();
    return repeat(read, () => (place.peek().view === 'refused' ? shownPauseMs : countPauseMs));
  }

  hasLeft.subscribe((left) => {
    if (left) refused.value = null;
  });
  return { refused, refusedError, moreRefused, followRefused };
}
