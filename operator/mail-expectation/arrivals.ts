import { SearchTimeout } from '#core/errors.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Feed } from '#core/events/feed.ts';
import type { Id } from '#core/ids.ts';
import { type Query, termsOf } from '#core/messages/query.ts';
import type { Slots } from '#gate/slots.ts';
import { pause } from '../runtime/backoff.ts';
import { NotLeading } from '../runtime/failures.ts';

/** Mail to wait for, under a unique name. `cursor` is the number of the last event before mail counts. */
export type Wanted = { name: string; query: Query; cursor: number };

type Ports = {
  feed: Pick<Feed, 'follow'>;
  head(team: Id): Promise<number>;
  /** Returns true if a message after the cursor matches. */
  isThere(team: Id, query: Query, cursor: number): Promise<boolean>;
  slots: Slots<Id>;
  onError(error: unknown): void;
};

type Listening = { signal: AbortSignal; onArrival: (name: string) => void };

/** Mail that a team waits for. Mail after the event `unsearched` has not been searched yet. `times` doubles with each failure. */
type Entry = { one: Wanted; leave: () => void; unsearched: number; times: number };

/** Cursor after which no mail needs to be searched. */
const none = Number.POSITIVE_INFINITY;

/** Minimum time in ms between two rounds of a team's searches, and time in ms before the next round if one has failed. */
const paceMs = 50;
const retryMs = 1000;
/** Maximum number of terms in one search. */
const mostTerms = 200;

/**
 * Reports which awaited mail has arrived. Follows each team's journal once, and combines the searches for all mail that the team waits
 * for.
 */
export class Arrivals {
  readonly #ports: Ports;
  readonly #teams = new Map<Id, Team>();
  readonly #teamOf = new Map<string, Id>();
  #listening: Listening | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Calls `onArrival` until `signal` is aborted. Then forgets all awaited mail. */
  async listen(onArrival: (name: string) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#listening = { signal, onArrival };
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    this.#listening = null;
    for (const name of [...this.#teamOf.keys()]) this.forget(name);
  }

  /**
   * Resolves when all mail that arrives from now on will be noticed. Returns false if the team waits for too much mail. Throws NotLeading
   * if nobody is listening.
   */
  async expect(id: Id, wanted: Wanted): Promise<boolean> {
    if (this.#listening === null) throw new NotLeading();
    if (this.#teamOf.get(wanted.name) !== id) this.forget(wanted.name);
    const team = this.#teams.get(id) ?? new Team(id, { ...this.#ports, ...this.#listening });
    if (!team.add(wanted)) return false;
    this.#teams.set(id, team);
    this.#teamOf.set(wanted.name, id);
    await team.followed();
    return true;
  }

  forget(name: string): void {
    const id = this.#teamOf.get(name);
    if (id === undefined) return;
    this.#teamOf.delete(name);
    if (this.#teams.get(id)?.remove(name)) this.#teams.delete(id);
  }
}

/** Mail that one team waits for. Only one search runs at a time. */
class Team {
  readonly #id: Id;
  readonly #ports: Ports & Listening;
  readonly #wanted = new Map<string, Entry>();
  #following: Promise<{ stop(): void }> | null = null;
  #isSearching = false;

  constructor(id: Id, ports: Ports & Listening) {
    this.#id = id;
    this.#ports = ports;
  }

  add(one: Wanted): boolean {
    const known = this.#wanted.get(one.name);
    const leave = known?.leave ?? this.#ports.slots.take(this.#id);
    if (leave === null) return false;
    this.#wanted.set(one.name, Object.assign(known ?? { unsearched: none, times: 1 }, { one, leave }));
    return true;
  }

  /** Returns true if the team no longer waits for any mail. */
  remove(name: string): boolean {
    this.#wanted.get(name)?.leave();
    this.#wanted.delete(name);
    if (this.#wanted.size > 0) return false;
    this.#following?.then((following) => following.stop()).catch(() => {});
    return true;
  }

  async followed(): Promise<void> {
    this.#following ??= this.#follow().catch((error) => {
      this.#following = null;
      throw error;
    });
    await this.#following;
  }

  async #follow() {
    const { feed, head } = this.#ports;
    return feed.follow(this.#id, await head(this.#id), {
      onEvents: (events) => this.#searchFrom(firstOf(events)),
      onGap: () => this.#searchFrom(0),
    });
  }

  #searchFrom(cursor: number): void {
    for (const entry of this.#wanted.values()) entry.unsearched = Math.min(entry.unsearched, cursor);
    if (!this.#isSearching) this.#search();
  }

  async #search(): Promise<void> {
    this.#isSearching = true;
    for (let due = this.#due(); due.length > 0; due = this.#due())
      await pause(await this.#round(due), this.#ports.signal);
    // Reset in the same turn of the event loop as the last check. Otherwise, events in between would not be searched.
    this.#isSearching = false;
  }

  /**
   * Searches until the first failure. Returns the pause in ms before the next round. In that round, the failed searches come last, split
   * in half.
   */
  async #round(due: Entry[][]): Promise<number> {
    for (const some of due) {
      // Bounded: the terms of one search.
      const cursor = Math.min(...some.map(({ unsearched }) => unsearched));
      for (const entry of some) entry.unsearched = none;
      try {
        await this.#tell(some, cursor);
        for (const entry of some) entry.times = 1;
      } catch (error) {
        const isSlow = error instanceof SearchTimeout;
        for (const entry of some) {
          entry.times *= 2;
          // The expectation's reconciliation searches by itself, and decides what to do if a search takes too long.
          if (isSlow && some.length === 1) this.#ports.onArrival(entry.one.name);
          else entry.unsearched = Math.min(entry.unsearched, cursor);
        }
        if (isSlow) return paceMs;
        this.#ports.onError(error);
        return retryMs;
      }
    }
    return paceMs;
  }

  /** Reports the expectations whose mail has arrived. If none has, this takes one search; otherwise, it searches each half separately. */
  async #tell(some: Entry[], cursor: number): Promise<void> {
    const [first, ...others] = some.map(({ one }) => one);
    if (first === undefined) return;
    const query = others.length === 0 ? first.query : { any: some.map(({ one }) => one.query) };
    const after = others.reduce((least, one) => Math.min(least, one.cursor), first.cursor);
    if (!(await this.#ports.isThere(this.#id, query, Math.max(after, cursor)))) return;
    if (others.length === 0) return this.#ports.onArrival(first.name);
    const half = Math.ceil(some.length / 2);
    await this.#tell(some.slice(0, half), cursor);
    await this.#tell(some.slice(half), cursor);
  }

  /**
   * Divides the entries that have unsearched mail into searches that do not exceed the maximum number of terms. Failed entries come last.
   * Among the others, the newest mail comes first.
   */
  #due(): Entry[][] {
    const portions: Entry[][] = [];
    let terms = 0;
    const due = [...this.#wanted.values()].filter(({ unsearched }) => unsearched < none);
    due.sort((one, other) => one.times - other.times || other.unsearched - one.unsearched);
    for (const entry of due) {
      const own = entry.times * (1 + termsOf(entry.one.query).length);
      if (portions.at(-1)?.[0]?.unsearched !== entry.unsearched || terms + own > mostTerms) {
        portions.push([]);
        terms = 0;
      }
      portions.at(-1)?.push(entry);
      terms += own;
    }
    return portions;
  }
}

/**
 * Returns the cursor from which to search for what events bring, or `none`. Because of a change, older mail may match; a deletion cannot
 * have this effect.
 */
function firstOf(events: MailEvent[]): number {
  if (events.some(({ type }) => type === 'message.updated')) return 0;
  const first = events.find(({ type }) => type === 'message.received');
  return first === undefined ? none : first.number - 1;
}
