import { TooMany } from '#core/errors.ts';
import { limitOf } from '#core/limit-of.ts';
import type { LimitName } from '#core/limits.ts';
import type { RateWindow } from './access.ts';

export type AttemptPorts = {
  attempts: RateWindow;
  metrics: { limitReached(limit: LimitName): void };
};

/**
 * Counts an attempt under `key` within a window of a minute, or another length. Returns the attempt's slot. Throws TooMany with
 * `sentence`.
 */
export async function countAttempt(
  { attempts, metrics }: AttemptPorts,
  key: string,
  limit: LimitName,
  sentence: string,
  windowMs = 60_000,
): Promise<string> {
  const { slot, resetMs } = await attempts.take(key, limitOf(limit), windowMs);
  if (slot !== null) return slot;
  metrics.limitReached(limit);
  throw new TooMany(sentence, resetMs);
}
