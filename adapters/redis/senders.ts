import { type SenderTable, senderLifeMs } from '#core/messages/sender.ts';
import { closeRedis, connectRedis, firstConnection } from './connection.ts';

/** Maximum time in ms for which an email waits for Redis. */
const patienceMs = 200;

type Options = { url: string; installation: string; cluster: string };
type RedisSenders = SenderTable & { opened: Promise<void>; close(): void };

/** Creates a table of senders that all processes in a cluster share. `cluster` separates clusters that share a Redis. */
export function createRedisSenders({ url, installation, cluster }: Options): RedisSenders {
  const redis = connectRedis(url, { onAway() {}, onBack() {} }, { commandTimeout: patienceMs });
  const key = `sandpost:${installation}:senders:${cluster}`;
  return {
    opened: firstConnection(redis),
    async find(address) {
      try {
        return JSON.parse((await redis.hget(key, address)) ?? 'null');
      } catch {
        return null;
      }
    },
    async write(table, changed) {
      const isKept = (await redis.pexpire(key, senderLifeMs)) === 1 && changed !== null;
      const rows = isKept ? changed : [...table.keys()];
      if (isKept && rows.length === 0) return;
      const commands = redis.multi();
      if (!isKept) commands.del(key);
      for (const address of rows) {
        const sender = table.get(address);
        if (sender === undefined) commands.hdel(key, address);
        else commands.hset(key, address, JSON.stringify(sender));
      }
      const answers = await commands.pexpire(key, senderLifeMs).exec();
      for (const [error] of answers ?? []) if (error !== null) throw error;
    },
    close: () => closeRedis(redis),
  };
}
