import type { ServerResponse } from 'node:http';
import { TooMany } from '#core/errors.ts';
import { type EventFilter, type MailEvent, passes } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#core/services.ts';
import type { Caller, Ctx } from './context.ts';
import { isStillValid } from './middleware/identify.ts';
import { presentFrame } from './shapes/event.ts';

const heartbeatMs = 15_000;
/** Bytes that may wait for a slow client before it is cut. */
const mostBacklog = 1024 * 1024;
const mostStreams = 100;
/** A client that is told to try again later does so after this. */
const retryMs = 2000;

const retryLine = Buffer.from(`retry: ${retryMs}\n\n`);
const heartbeat = Buffer.from(': still here\n\n');
const resync = Buffer.from('event: resync\ndata: {"type":"resync"}\n\n');

/** Frames are the same for every stream that an event goes to. */
const frames = new WeakMap<MailEvent, Buffer>();

function frameOf(event: MailEvent): Buffer {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const frame = Buffer.from(presentFrame(event));
  frames.set(event, frame);
  return frame;
}

/** The open event streams of one process (contract 7). */
export class EventStreams {
  readonly #services: Services;
  readonly #open = new Map<Id, Set<ServerResponse>>();

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Answers with a stream of the caller's events that pass the filter, from after the event `after` (null: from now on).
   * It ends when the client goes away or is too slow, when its credential no longer holds, or at `close`. Throws TooMany.
   */
  async stream(ctx: Ctx, caller: Caller, filter: EventFilter, after: number | null): Promise<void> {
    const { feed, journal, metrics } = this.#services;
    const start = after ?? (await journal.heads([caller.id])).get(caller.id) ?? 0;
    if ((this.#open.get(caller.id)?.size ?? 0) >= mostStreams) {
      throw new TooMany(`At most ${mostStreams} streams can be open at a time`, heartbeatMs);
    }
    const response = begin(ctx);
    if (ctx.method === 'HEAD' || response.destroyed) return void response.end();
    const siblings = this.#open.get(caller.id) ?? new Set();
    this.#open.set(caller.id, siblings.add(response));
    metrics.eventStreams.inc();

    const following = feed.follow(caller.id, start, {
      onEvents: (events) => send(response, events.filter((event) => passes(event, filter)).map(frameOf)),
      onGap: () => void send(response, [resync]),
    });
    const timer = setInterval(() => this.#beat(response, caller), heartbeatMs);
    response.once('close', () => {
      clearInterval(timer);
      following.stop();
      siblings.delete(response);
      if (siblings.size === 0 && this.#open.get(caller.id) === siblings) this.#open.delete(caller.id);
      metrics.eventStreams.dec();
    });
  }

  /** Answers with the newest event that passes the filter, or a comment where there is none, and ends. */
  async latest(ctx: Ctx, caller: Caller, filter: EventFilter): Promise<void> {
    const event = await this.#services.journal.latest(caller.id, filter);
    begin(ctx).end(event === null ? ': no event yet\n\n' : frameOf(event));
  }

  /** Ends all streams; their clients come back after a moment, to another process or to the next. */
  close(): void {
    for (const response of [...this.#open.values()].flatMap((siblings) => [...siblings]))
      response.end(retryLine);
  }

  #beat(response: ServerResponse, caller: Caller): void {
    void send(response, [heartbeat]);
    isStillValid(this.#services, caller.credential).then(
      (valid) => valid || response.end(),
      // A store that does not answer now says nothing about the credential.
      () => {},
    );
  }
}

/** Sends the head. A stream is never compressed, stored, or held back by a proxy. */
function begin(ctx: Ctx): ServerResponse {
  ctx.respond = false;
  ctx.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  ctx.res.statusCode = 200;
  ctx.res.flushHeaders();
  if (ctx.method !== 'HEAD') ctx.res.write(retryLine);
  return ctx.res;
}

/** Writes frames; the promise of a congested client's drain is what a replay waits for. Cuts a client that is too slow. */
function send(response: ServerResponse, pieces: Buffer[]): void | Promise<void> {
  if (response.destroyed || response.writableEnded) return;
  if (response.writableLength > mostBacklog) {
    response.destroy();
    return;
  }
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.uncork();
  if (response.writableNeedDrain) return drained(response);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
