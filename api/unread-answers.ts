import type { ServerResponse } from 'node:http';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { turnOf } from '#gate/event-loop.ts';
import type { Metrics } from '#telemetry/metrics.ts';

const { unreadMs, unreadBytes } = limits.answers;
const sliceBytes = 65_536;
const sweepMs = 1000;

/** Answer under way: its bytes in memory, and the time since which its client has taken none (`performance.now()`). */
type Answer = { response: ServerResponse; user: Id | null; bytes: number; waitsSince: number | null };

/**
 * Answers of one process that their clients have not read yet. Cuts an answer that is not read for `unreadMs`. Cuts the
 * answer that has waited longest if those of a user have more than `unreadBytes`.
 */
export class UnreadAnswers {
  readonly #metrics: Pick<Metrics, 'limitReached'>;
  readonly #answers = new Map<ServerResponse, Answer>();
  readonly #bytes = new Map<Id, number>();
  readonly #sweep: NodeJS.Timeout;

  constructor(metrics: Pick<Metrics, 'limitReached'>) {
    this.#metrics = metrics;
    this.#sweep = setInterval(() => this.#cutStale(), sweepMs).unref();
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  /** Sets the number of bytes that an answer counts for, until it is closed. */
  hold(response: ServerResponse, user: Id | null, bytes: number): Answer {
    const answer = this.#answers.get(response) ?? this.#add(response, user);
    this.#count(answer, bytes - answer.bytes);
    answer.bytes = bytes;
    if (response.closed) this.#remove(answer);
    else if (user !== null) this.#makeRoom(user);
    return answer;
  }

  /** Yields the pieces of an answer as its client takes them. Other users have their turn between two pieces. */
  async *pace(
    answer: Answer,
    source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      for (let start = 0; start < piece.length; start += sliceBytes) {
        answer.waitsSince = performance.now();
        yield piece.subarray(start, start + sliceBytes);
        answer.waitsSince = null;
        if (answer.user !== null) await turnOf(answer.user, { continues: true });
      }
    }
    answer.waitsSince = performance.now();
  }

  #add(response: ServerResponse, user: Id | null): Answer {
    const answer: Answer = { response, user, bytes: 0, waitsSince: null };
    this.#answers.set(response, answer);
    response.once('close', () => this.#remove(answer));
    return answer;
  }

  #remove(answer: Answer): void {
    if (this.#answers.delete(answer.response)) this.#count(answer, -answer.bytes);
  }

  #count({ user }: Answer, bytes: number): void {
    if (user === null) return;
    const left = (this.#bytes.get(user) ?? 0) + bytes;
    if (left > 0) this.#bytes.set(user, left);
    else this.#bytes.delete(user);
  }

  #makeRoom(user: Id): void {
    while ((this.#bytes.get(user) ?? 0) > unreadBytes) {
      const own = [...this.#answers.values()].filter((answer) => answer.user === user && answer.bytes > 0);
      const since = ({ waitsSince }: Answer) => waitsSince ?? Number.POSITIVE_INFINITY;
      const longest = own.reduce((a, b) => (since(b) < since(a) ? b : a));
      this.#cut(longest, 'answers.unreadBytes');
    }
  }

  #cutStale(): void {
    const now = performance.now();
    for (const answer of this.#answers.values()) {
      // An answer whose turn on its connection never came gets no event of its end.
      if (answer.response.req.socket.destroyed) this.#remove(answer);
      // Another answer of the same connection has to be sent first.
      if (answer.response.socket === null) continue;
      if (answer.waitsSince !== null && now - answer.waitsSince > unreadMs)
        this.#cut(answer, 'answers.unreadMs');
    }
  }

  #cut(answer: Answer, limit: 'answers.unreadBytes' | 'answers.unreadMs'): void {
    this.#metrics.limitReached(limit);
    this.#remove(answer);
    // Closes the connection itself: an answer that waits for others of the same connection has no `socket` yet.
    answer.response.req.socket.destroy();
  }
}
