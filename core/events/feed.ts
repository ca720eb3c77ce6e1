import type { Id } from '#core/ids.ts';
import type { EventBus, Journal } from './event.ts';
import { type FeedReader, Follower } from './follower.ts';

/** Follows teams' journals. Delivers events that the bus announces at once, and events that it lost soon after. */
export type Feed = {
  /**
   * Passes on each event of `team` with a number above `after`, once and in order, until `stop`. `onEvents` may return a
   * promise while its reader is congested, which replay waits for. `onGap` is called where events before the next one were
   * pruned.
   */
  follow(team: Id, after: number, reader: FeedReader): { stop(): void };
  close(): void;
};

/**
 * Creates the feed of a process. The bus may lose announcements. A lost last announcement shows no gap. Every `pollMs` the
 * newest numbers of all followed teams are therefore read as well, in one query.
 */
export function createFeed(
  journal: Journal,
  bus: EventBus,
  { pollMs, onError }: { pollMs: number; onError: (error: unknown) => void },
): Feed {
  const followers = new Map<Id, Set<Follower>>();
  const stopListening = bus.listen((team, events) => {
    for (const follower of followers.get(team) ?? []) follower.offer(events);
  });
  let polling = false;
  const poll = async () => {
    if (polling || followers.size === 0) return;
    polling = true;
    try {
      const heads = await journal.heads([...followers.keys()]);
      for (const [team, head] of heads) {
        for (const follower of followers.get(team) ?? []) follower.notice(head);
      }
    } catch (error) {
      onError(error);
    } finally {
      polling = false;
    }
  };
  const timer = setInterval(poll, pollMs);
  timer.unref();

  return {
    follow(team, after, reader) {
      const follower = new Follower({ journal, team, after, reader, onError });
      const siblings = followers.get(team) ?? new Set();
      followers.set(team, siblings.add(follower));
      follower.catchUp();
      return {
        stop() {
          follower.stop();
          siblings.delete(follower);
          if (siblings.size === 0 && followers.get(team) === siblings) followers.delete(team);
        },
      };
    },
    close() {
      clearInterval(timer);
      stopListening();
      for (const follower of [...followers.values()].flatMap((siblings) => [...siblings])) follower.stop();
      followers.clear();
    },
  };
}
