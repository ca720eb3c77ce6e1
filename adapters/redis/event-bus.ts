import { randomUUID } from 'node:crypto';
import { createLocalBus } from '#adapters/local/event-bus.ts';
import type { EventBus, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Log } from '#telemetry/log.ts';
import { type ConnectionWatch, closeRedis, connectRedis, faultOf, firstConnection } from './connection.ts';

/** Maximum frames in transit to Redis. While Redis hangs, further frames are dropped, and readers find their events in the journal. */
const mostUnderWay = 256;

/** Message between processes. `from` is the sending process, which ignores its own messages. */
type Frame = { from: string; news: [team: Id, events: MailEvent[]][] };

/**
 * Announces events to this process immediately, and to all others through Redis. Events of the same tick share a frame. While Redis is
 * unavailable, announces them only within the process, and reconnects automatically. `opened` resolves once the first attempt to connect
 * has succeeded or failed.
 */
export function createRedisBus({
  url,
  installation,
  log,
}: {
  url: string;
  installation: string;
  log: Pick<Log, 'info' | 'warn'>;
}): EventBus & { opened: Promise<unknown>; close(): Promise<void> } {
  const self = randomUUID();
  // User ids are the same in every installation, and several installations may share a Redis.
  const channel = `sandpost:${installation}:events`;
  const local = createLocalBus();
  const watch: ConnectionWatch = {
    onAway: (err, fault) =>
      log.warn(
        { event: 'redis.away', err },
        `Redis is unavailable: ${fault}. Until it is back, other processes read events from the journal`,
      ),
    onBack: () => log.info({ event: 'redis.back' }, 'Redis is available again'),
  };
  const publisher = connectRedis(url, watch, { commandTimeout: 2000 });
  const subscriber = connectRedis(url, { onAway() {}, onBack() {} });
  let pending: Frame['news'] = [];
  let underWay = 0;

  const publish = () => {
    const frame: Frame = { from: self, news: pending };
    pending = [];
    if (publisher.status !== 'ready' || underWay >= mostUnderWay) return;
    underWay += 1;
    publisher
      .publish(channel, JSON.stringify(frame))
      .catch(() => {})
      .finally(() => {
        underWay -= 1;
      });
  };

  let isRefused = false;
  let retry: NodeJS.Timeout | undefined;
  /** Subscribes, and again while Redis refuses over a connection that stays up, for example because of a missing permission. */
  const subscribe = async () => {
    clearTimeout(retry);
    try {
      await subscriber.subscribe(channel);
      if (isRefused) watch.onBack();
      isRefused = false;
    } catch (error) {
      if (subscriber.status !== 'ready' || !(error instanceof Error)) return;
      if (!isRefused) watch.onAway(error, faultOf(error));
      isRefused = true;
      retry = setTimeout(subscribe, 1000);
    }
  };
  subscriber.on('ready', subscribe);
  subscriber.on('message', (_channel: string, text: string) => {
    const frame = parseFrame(text);
    if (frame === null || frame.from === self) return;
    for (const [team, events] of frame.news) local.announce(team, events);
  });

  return {
    listen: local.listen,
    opened: Promise.all([firstConnection(publisher), firstConnection(subscriber)]),
    announce(team, events) {
      if (events.length === 0) return;
      if (pending.length === 0) setImmediate(publish);
      pending.push([team, events]);
      local.announce(team, events);
    },
    async close() {
      closeRedis(publisher);
      closeRedis(subscriber);
    },
  };
}

/** Parses a frame. Returns null for any other text, because other programs may write to the same Redis. */
function parseFrame(text: string): Frame | null {
  try {
    const frame: Frame = JSON.parse(text);
    for (const event of frame.news.flatMap(([, events]) => events)) event.at = new Date(event.at);
    return frame;
  } catch {
    return null;
  }
}
