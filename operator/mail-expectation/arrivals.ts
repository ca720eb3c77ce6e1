import type { MailEvent } from '#core/events/event.ts';
import type { Feed } from '#core/events/feed.ts';
import type { Id } from '#core/ids.ts';
import { type Query, termsOf } from '#core/messages/query.ts';
import type { Slots } from '#gate/slots.ts';
import { pause } from '../runtime/backoff.ts';

/** Mail to wait for, by a unique name. `cursor` is the number of the last event before it counts. */
export type Wanted = { name: string; query: Query; cursor: number };

type Ports = {
  feed: Pick<Feed, 'follow'>;
  head(team: Id): Promise<number>;
  /** True where a message after the cursor matches. */
  isThere(team: Id, query: Query, cursor: number): Promise<boolean>;
  slots: Slots<Id>;
  onError(error: unknown): void;
};

/** Shortest time between two searches of a team, and the time after one that failed. */
const paceMs = 50;
const retryMs = 1000;
/** Terms of one search. */
const mostTerms = 200;

/** Reports whose mail has come. Follows each team once, and searches for all of its wanted mail together. */
export class Arrivals {
  readonly #ports: Ports;
  readonly #teams = new Map<Id, Team>();
  readonly #teamOf = new Map<string, Id>();
  #listening: { signal: AbortSignal; onArrival: (name: string) => void } | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Calls `onArrival` until `signal` is aborted, which forgets all that is wanted. */
  async listen(onArrival: (name: string) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#listening = { signal, onArrival };
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    this.#listening = null;
    for (const name of [...this.#teamOf.keys()]) this.forget(name);
  }

  /** Resolves once mail from now on is noticed. Returns false where the team waits for too much, or nobody listens. */
  async expect(id: Id, wanted: Wanted): Promise<boolean> {
    if (this.#listening === null) return false;
    const { onArrival, signal } = this.#listening;
    if (this.#teamOf.get(wanted.name) !== id) this.forget(wanted.name);
    const team = this.#teams.get(id) ?? new Team(id, this.#ports, onArrival, signal);
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

/** Wanted mail of one team. One search runs at a time. */
class Team {
  readonly #id: Id;
  readonly #ports: Ports;
  readonly #onArrival: (name: string) => void;
  readonly #signal: AbortSignal;
  readonly #wanted = new Map<string, { one: Wanted; leave: () => void }>();
  #following: Promise<{ stop(): void }> | null = null;
  /** Number of an event after which mail is still to be searched; null where all is. */
  #unsearched: number | null = null;
  #isSearching = false;

  constructor(id: Id, ports: Ports, onArrival: (name: string) => void, signal: AbortSignal) {
    this.#id = id;
    this.#ports = ports;
    this.#onArrival = onArrival;
    this.#signal = signal;
  }

  add(one: Wanted): boolean {
    const leave = this.#wanted.get(one.name)?.leave ?? this.#ports.slots.take(this.#id);
    if (leave === null) return false;
    this.#wanted.set(one.name, { one, leave });
    return true;
  }

  /** Returns true where nothing is wanted any more. */
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
      onEvents: (events) => {
        const first = firstOf(events);
        if (first !== null) this.#searchFrom(first);
      },
      onGap: () => this.#searchFrom(0),
    });
  }

  #searchFrom(cursor: number): void {
    this.#unsearched = Math.min(this.#unsearched ?? cursor, cursor);
    if (!this.#isSearching) this.#search();
  }

  async #search(): Promise<void> {
    this.#isSearching = true;
    while (this.#unsearched !== null && this.#isWanted()) {
      const cursor = this.#unsearched;
      this.#unsearched = null;
      try {
        const all = [...this.#wanted.values()].map(({ one }) => one);
        for (const some of portionsOf(all)) {
          for (const { name } of await this.#found(some, cursor)) this.#onArrival(name);
        }
        await pause(paceMs, this.#signal);
      } catch (error) {
        this.#ports.onError(error);
        this.#unsearched = Math.min(this.#unsearched ?? cursor, cursor);
        await pause(retryMs, this.#signal);
      }
    }
    // Reset in the same turn as the last check: events in between would not be searched.
    this.#isSearching = false;
  }

  #isWanted(): boolean {
    return !this.#signal.aborted && this.#wanted.size > 0;
  }

  /** Finds those whose mail has come: one search if there is none, else a search of each half. */
  async #found(some: Wanted[], cursor: number): Promise<Wanted[]> {
    const [first, ...others] = some;
    if (first === undefined) return [];
    const query = others.length === 0 ? first.query : { any: some.map((one) => one.query) };
    const after = some.reduce((least, one) => Math.min(least, one.cursor), first.cursor);
    if (!(await this.#ports.isThere(this.#id, query, Math.max(after, cursor)))) return [];
    if (others.length === 0) return [first];
    const half = Math.ceil(some.length / 2);
    return [
      ...(await this.#found(some.slice(0, half), cursor)),
      ...(await this.#found(some.slice(half), cursor)),
    ];
  }
}

/** Returns the cursor of a search for what events bring, or null. A change may let older mail match, and a deletion lets none. */
function firstOf(events: MailEvent[]): number | null {
  if (events.some(({ type }) => type === 'message.updated')) return 0;
  const first = events.find(({ type }) => type === 'message.received');
  return first === undefined ? null : first.number - 1;
}

/** Divides wanted mail, so that no search has too many terms. */
function portionsOf(all: Wanted[]): Wanted[][] {
  const portions: Wanted[][] = [];
  let terms = mostTerms;
  for (const one of all) {
    const own = 1 + termsOf(one.query).length;
    if (terms + own > mostTerms) {
      portions.push([]);
      terms = 0;
    }
    portions.at(-1)?.push(one);
    terms += own;
  }
  return portions;
}
