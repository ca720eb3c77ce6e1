import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Metrics } from '#telemetry/metrics.ts';

const { unreadMs, unreadBytes } = limits.answers;

/** Time in ms after which unread bytes are first counted. */
const firstCountMs = 1000;

/** Size in bytes below which a response is counted only if the connection does not accept all of it immediately. */
const longBytes = 65_536;

/**
 * Limits unread responses. Closes a connection that has accepted no byte of a response for `unreadMs`. If a user's responses together
 * hold more than `unreadBytes`, closes the user's connection that has held unread bytes the longest.
 */
export class UnreadResponses {
  readonly #metrics: Pick<Metrics, 'limitReached'>;
  /** Unread response bytes by user and connection. The connection that has held unread bytes the longest comes first. */
  readonly #users = new Map<Id, Map<Socket, number>>();

  constructor(metrics: Pick<Metrics, 'limitReached'>) {
    this.#metrics = metrics;
  }

  /**
   * Ends a response if the client does not read it from now on. Node's socket timeout does nothing if fewer bytes are waiting than the
   * last time. The first timeout, after a second, therefore counts the bytes that the system has accepted, and the next timeout comes on
   * time.
   */
  watch(response: ServerResponse): void {
    response.once('timeout', () => {
      response.once('timeout', () => this.#cut(response.req.socket, 'answers.unreadMs'));
      response.setTimeout(unreadMs);
    });
    response.setTimeout(firstCountMs);
  }

  /** Counts a response's bytes in memory toward a user until the response is closed. */
  hold(response: ServerResponse, user: Id, bytes: number): void {
    const { socket } = response.req;
    const isHeldUp = response.socket === null || response.socket.writableLength > 0;
    if (socket.destroyed || response.closed || (bytes < longBytes && !isHeldUp)) return;
    const held = this.#heldBy(user);
    if (!held.has(socket)) socket.once('close', () => this.#forget(user, socket));
    held.set(socket, (held.get(socket) ?? 0) + bytes);
    response.once('close', () => this.#release(user, socket, bytes));
    let sum = held.values().reduce((all, some) => all + some, 0);
    for (const [longest, some] of held) {
      if (sum <= unreadBytes) break;
      sum -= some;
      if (some > 0) this.#cut(longest, 'answers.unreadBytes');
    }
  }

  #heldBy(user: Id): Map<Socket, number> {
    const held = this.#users.get(user) ?? new Map<Socket, number>();
    this.#users.set(user, held);
    return held;
  }

  #release(user: Id, socket: Socket, bytes: number): void {
    const held = this.#users.get(user);
    const left = (held?.get(socket) ?? bytes) - bytes;
    if (!held?.has(socket)) return;
    // An idle connection moves to the end.
    if (left === 0) held.delete(socket);
    held.set(socket, left);
  }

  #forget(user: Id, socket: Socket): void {
    const held = this.#users.get(user);
    held?.delete(socket);
    if (held?.size === 0) this.#users.delete(user);
  }

  #cut(socket: Socket, limit: 'answers.unreadBytes' | 'answers.unreadMs'): void {
    this.#metrics.limitReached(limit);
    socket.destroy();
  }
}
