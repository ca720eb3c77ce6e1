import { type Contender, startMailpit, startSandpost } from './servers.ts';

/** Extent of a run. `scale` multiplies counts and times (1 is the full run). */
export type Effort = { rounds: number; scale: number; profileTo: string | undefined };

/** Results of both sides, one per round. */
export type Rounds<T> = { sandpost: T[]; mailpit: T[] };

/** Both servers, running. They stop at the end of the block that declares them by `await using`. */
export type Pair = AsyncDisposable & { sandpost: Contender; mailpit: Contender };

/** Starts Sandpost for a section: in one process, or as a cluster. */
export type StartSandpost = (profileTo?: string) => Promise<Contender>;

export async function startPair({ profileTo }: Effort, start: StartSandpost = startSandpost): Promise<Pair> {
  const mailpit = await startMailpit();
  const sandpost = await start(profileTo).catch(async (error) => {
    await mailpit.stop();
    throw error;
  });
  const stop = async () => {
    await Promise.all([sandpost.stop(), mailpit.stop()]);
  };
  return { sandpost, mailpit, [Symbol.asyncDispose]: stop };
}

/** Measures one after the other, round by round. The first server changes, so neither always follows the other. */
export async function alternate<T>(
  rounds: number,
  { sandpost, mailpit }: Pick<Pair, 'sandpost' | 'mailpit'>,
  measure: (server: Contender, round: number) => Promise<T>,
): Promise<Rounds<T>> {
  const found: Rounds<T> = { sandpost: [], mailpit: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [sandpost, mailpit] : [mailpit, sandpost];
    for (const server of order) {
      process.stderr.write(`  round ${round + 1} of ${rounds}, ${server.name}\n`);
      const side = server.name === 'Sandpost' ? found.sandpost : found.mailpit;
      side.push(await measure(server, round));
    }
  }
  return found;
}

/** Returns a full run's count or time, scaled down for a short run. */
export function scaled(full: number, { scale }: Effort, least = 1): number {
  return Math.max(least, Math.round(full * scale));
}
