import type { Id } from '#core/ids.ts';

/** Shortest and longest wait between two tries, or for another process to have its turn, ms. */
const waitMs = { least: 2, most: 200 };
/** How long a process gives way, and how long it waits for its next try, at least and at most, in turns. */
const givenTurns = 1.4;
const retryTurns = { least: 0.3, most: 0.7 };
/** So many turns without a gap are all that one process takes before it leaves one. */
const mostInARow = 20;

/**
 * How processes that take turns of the same users share them. Whoever has a turn would win the next one too, for it is
 * there first. So a process that sees that another had a turn gives way after its own for as long as that took and the
 * other may need to begin, and they alternate. One that nobody interrupted does so now and then, for somebody may be
 * waiting.
 */
export function createCourtesy() {
  /** How many turns each user had had by the end of this process's latest. */
  const counts = new Map<Id, number>();
  /** How long that took: the others' are about as long. */
  let turnMs = waitMs.least;
  let lastEnd = 0;
  let inARow = 0;
  const partOfTurn = (part: number) => Math.min(Math.max(part * turnMs, waitMs.least), waitMs.most);
  return {
    /** Until the next try for a turn that another has, ms: more often than others give way. */
    retryMs: () => partOfTurn(retryTurns.least + (retryTurns.most - retryTurns.least) * Math.random()),
    /** How long to give way after a turn, ms; its times are ms too, `turns` its users' counts with it. */
    giveMs(begunAt: number, endedAt: number, turns: Map<Id, number>): number {
      const shared = [...turns].some(([owner, count]) => count > (counts.get(owner) ?? count) + 1);
      for (const [owner, count] of turns) counts.set(owner, count);
      inARow = begunAt - lastEnd > turnMs ? 1 : inARow + 1;
      turnMs = endedAt - begunAt;
      lastEnd = endedAt;
      if (!shared && inARow < mostInARow) return 0;
      inARow = 0;
      return partOfTurn(givenTurns);
    },
  };
}
