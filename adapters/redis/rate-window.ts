import { randomUUID } from 'node:crypto';
import type { RateWindow } from '#core/access/access.ts';
import { closeRedis, connectRedis, firstConnection } from './connection.ts';

/** Maximum time in ms that a call waits for Redis before it fails. */
const patienceMs = 200;

/**
 * Counts a call. A key's sorted set has one member per counted call, whose score is the server's time in microseconds, so all processes
 * use one clock. Simultaneous calls are separate members.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = ARGV[2] * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - window))
local count = redis.call('ZCARD', KEYS[1])
local taken = 0
if count < tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  count = count + 1
  taken = 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or now
return { taken, count, math.ceil((oldest + window - now) / 1000) }
`;

type Take = (key: string, limit: number, windowMs: number, slot: string) => Promise<[number, number, number]>;

/**
 * Creates a sliding log of calls that all processes share. While Redis is unavailable, a call fails within 200 ms, and the caller decides
 * whether to allow it. `opened` resolves once the first attempt to connect has succeeded or failed.
 */
export function createRedisRateWindow({
  url,
  installation,
}: {
  url: string;
  installation: string;
}): RateWindow & { opened: Promise<void>; close(): Promise<void> } {
  const redis = connectRedis(url, { onAway() {}, onBack() {} });
  redis.defineCommand('takeSlot', { numberOfKeys: 1, lua: takeScript });
  const take = Reflect.get(redis, 'takeSlot').bind(redis) as Take;
  const keyOf = (key: string) => `sandpost:${installation}:rate:${key}`;
  return {
    opened: firstConnection(redis),
    async take(key, limit, windowMs) {
      const slot = randomUUID();
      const [taken, count, resetMs] = await inTime(take(keyOf(key), limit, windowMs, slot));
      return { slot: taken === 1 ? slot : null, remaining: Math.max(0, limit - count), resetMs };
    },
    async giveBack(key, slot) {
      await inTime(redis.zrem(keyOf(key), slot));
    },
    async close() {
      closeRedis(redis);
    },
  };
}

/**
 * Rejects if no answer arrives in time. Timers run before reads, so a process that was itself blocked reads once more first: a counted
 * call must not look like an uncounted one.
 */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error(`Redis did not respond within ${patienceMs} ms`));
    timer = setTimeout(() => setImmediate(giveUp), patienceMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Counts in the shared window while Redis answers, and otherwise in this process's own window, so guarded calls are neither unlimited nor
 * refused while Redis is unavailable. Calls `onFailure` for each call that the shared window failed.
 */
export function createAttemptWindow(shared: RateWindow, own: RateWindow, onFailure: () => void): RateWindow {
  return {
    async take(key, limit, windowMs) {
      try {
        return await shared.take(key, limit, windowMs);
      } catch {
        onFailure();
        return own.take(key, limit, windowMs);
      }
    },
    /** Returns the call's slot to both windows. The window that did not count the call ignores it. */
    async giveBack(key, slot) {
      await Promise.all([shared.giveBack(key, slot).catch(onFailure), own.giveBack(key, slot)]);
    },
  };
}
