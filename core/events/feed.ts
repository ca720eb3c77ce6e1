import type { Id } from '#core/ids.ts';
import type { EventBus, Journal, MailEvent } from './event.ts';

export type FeedReader = {
  onEvents(events: MailEvent[]): void | Promise<void>;
  onGap(): void;
};

export type Feed = ReturnType<typeof createFeed>;

/**
 * Creates a process's feed, which follows teams' journals. It delivers announced events immediately, and events whose announcement the
 * bus lost soon after. If the last announcement is lost, no gap shows it, so the feed also reads the newest numbers of all followed teams
 * every `pollMs`, in one query.
 */
export function createFeed(
  journal: Journal,
  bus: EventBus,
  { pollMs, onError }: { pollMs: number; onError: (error: unknown) => void },
) {
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
    /**
     * Passes on each of the team's events with a number above `after`, once and in order, until `stop` is called. `onEvents` may return a
     * promise while its reader is congested, and the replay waits for it. Calls `onGap` if events before the next one were pruned.
     */
    follow(team: Id, after: number, reader: FeedReader): { stop(): void } {
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

/** Number of events read from the journal at a time. Subjects are bounded in size, so a page is too. */
const pageSize = 100;

type Followed = {
  journal: Journal;
  team: Id;
  after: number;
  reader: FeedReader;
  onError: (error: unknown) => void;
};

/** Place of a reader in a team's journal. */
export class Follower {
  readonly #followed: Followed;
  #at: number;
  #reading = false;
  #behind = false;
  #stopped = false;

  constructor(followed: Followed) {
    this.#followed = followed;
    this.#at = followed.after;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Receives announced events. Passes on those that directly follow the last event. If there is a gap, reads the journal. */
  offer(events: MailEvent[]): void {
    if (this.#stopped) return;
    const news = events.filter((event) => event.number > this.#at);
    const last = news.at(-1);
    if (last === undefined) return;
    const followsOn = news[0]?.number === this.#at + 1 && last.number === this.#at + news.length;
    if (this.#reading || !followsOn) {
      this.catchUp();
    } else {
      this.#at = last.number;
      const congestion = this.#followed.reader.onEvents(news);
      if (congestion !== undefined) this.#hold(congestion);
    }
  }

  /** Passes on nothing while the reader is congested. Events that arrive in this time are read from the journal later. */
  #hold(congestion: Promise<void>): void {
    this.#reading = true;
    congestion
      .catch(this.#followed.onError)
      .then(() => this.#read())
      .catch(this.#followed.onError);
  }

  /**
   * Compares the team's newest number with the reader's place, and reads on if they differ. A newest number below the place shows that
   * the journal restarted.
   */
  notice(head: number): void {
    if (head !== this.#at) this.catchUp();
  }

  /** Reads the journal to its end. A call during a read causes another read afterward. */
  catchUp(): void {
    this.#behind = true;
    if (this.#reading || this.#stopped) return;
    this.#reading = true;
    this.#read().catch(this.#followed.onError);
  }

  async #read(): Promise<void> {
    try {
      while (this.#behind && !this.#stopped) {
        this.#behind = false;
        const events = await this.#followed.journal.read(this.#followed.team, this.#at, pageSize);
        const first = events[0];
        if (first === undefined) await this.#checkHead();
        else await this.#handOn(events, first.number);
        if (events.length === pageSize) this.#behind = true;
      }
    } finally {
      // Reset in the same turn of the event loop as the last check of `#behind`: an offer in between would be lost.
      this.#reading = false;
    }
  }

  async #handOn(events: MailEvent[], first: number): Promise<void> {
    if (this.#stopped) return;
    if (first > this.#at + 1) this.#followed.reader.onGap();
    this.#at = events.at(-1)?.number ?? this.#at;
    await this.#followed.reader.onEvents(events);
  }

  /**
   * Handles a read that returned no events: the reader is at the end, events arrived in the meantime, or the journal has been replaced.
   */
  async #checkHead(): Promise<void> {
    const head = (await this.#followed.journal.heads([this.#followed.team])).get(this.#followed.team) ?? 0;
    if (this.#stopped || head === this.#at) return;
    if (head > this.#at && (await this.#followed.journal.read(this.#followed.team, this.#at, 1)).length > 0) {
      this.#behind = true;
      return;
    }
    this.#at = head;
    this.#followed.reader.onGap();
  }
}
