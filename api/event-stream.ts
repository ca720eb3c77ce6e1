import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { TooMany } from '#core/errors.ts';
import { type EventFilter, type MailEvent, passes } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { eventsWithin } from '#core/messages/within-accounts.ts';
import { turnOfStream } from '#gate/event-loop.ts';
import type { Services } from '#setup/services.ts';
import type { Caller, Ctx } from './context.ts';
import type { CredentialWatch } from './credential-watch.ts';
import { presentFrame, resyncFrame } from './shapes/event.ts';

const heartbeatMs = 15_000;
const { streams: mostStreams, streamBacklogBytes: mostBacklog, unreadMs } = limits.answers;
/** Maximum bytes written to one stream before other streams have their turn. */
const pieceBytes = 65_536;
/** Delay in ms after which a client reconnects. A stream begins and ends by stating this delay. */
const retryMs = 2000;

const retryLine = Buffer.from(`retry: ${retryMs}\n\n`);
const heartbeat = Buffer.from(': still here\n\n');
const resync = Buffer.from(resyncFrame);

/** Frames by event, shared by all streams that receive the event. */
const frames = new WeakMap<MailEvent, Buffer>();

function frameOf(event: MailEvent): Buffer {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const frame = Buffer.from(presentFrame(event));
  frames.set(event, frame);
  return frame;
}

export type Send = (frames: Iterable<Buffer>) => void | Promise<void>;

/** Connection to which events are written, and their format on it. */
export type EventTarget = {
  /** Starts the response. Returns null if the client has gone, or requested only the head. */
  open(): Writable | null;
  /** Sends event frames. If it returns a promise, the promise resolves when the client has read the frames. */
  onEvents(events: MailEvent[], send: Send): void | Promise<void>;
  /** Frame that says that events were missed. */
  gap: Buffer;
  /** Frames that keep the connection open, and the last frame before the API closes. Empty if the connection has its own. */
  heartbeat: Buffer[];
  farewell: Buffer[];
};

/** Open event streams of one process. */
export class EventStreams {
  readonly #services: Services;
  readonly #credentials: CredentialWatch;
  /** Functions that end each user's streams. */
  readonly #open = new Map<Id, Set<() => void>>();

  constructor(services: Services, credentials: CredentialWatch) {
    this.#services = services;
    this.#credentials = credentials;
  }

  /** Responds with Server-Sent Events, as described at `follow`. */
  stream(ctx: Ctx, caller: Caller, filter: EventFilter, after: number | null): Promise<void> {
    return this.follow(caller, filter, after, {
      open() {
        const response = begin(ctx);
        if (ctx.method !== 'HEAD' && !response.destroyed) return response;
        response.end();
        return null;
      },
      onEvents: (events, send) => send(events.map(frameOf)),
      ...{ gap: resync, heartbeat: [heartbeat], farewell: [retryLine] },
    });
  }

  /**
   * Writes the events of the caller's team that pass the filter and come after the event `after` (null: from now on). The stream
   * ends when the client goes away or is too slow, when its credential has ended, or at `close`. Throws TooMany.
   */
  async follow(
    caller: Caller,
    filter: EventFilter,
    after: number | null,
    target: EventTarget,
  ): Promise<void> {
    const { feed, journal, metrics } = this.#services;
    const start = after ?? (await journal.heads([caller.team])).get(caller.team) ?? 0;
    if ((this.#open.get(caller.userId)?.size ?? 0) >= mostStreams) {
      metrics.limitReached('answers.streams');
      throw new TooMany(`At most ${mostStreams} streams can be open at a time`, heartbeatMs);
    }
    const stream = target.open();
    if (stream === null) return;
    const end = () => {
      for (const frame of target.farewell) stream.write(frame);
      stream.end();
    };
    const siblings = this.#open.get(caller.userId) ?? new Set();
    this.#open.set(caller.userId, siblings.add(end));
    metrics.eventStreams.inc();

    const writer = new Writer(stream, caller.userId, metrics.limitReached);
    const filters = eventsWithin(filter, caller.accountIds);
    const confirmed = new ConfirmedFrames(writer, () => this.#credentials.confirm(caller));
    const send: Send = (frames) => confirmed.send(frames);
    const following = feed.follow(caller.team, start, {
      onEvents: (events) => target.onEvents(passing(events, filters), send),
      onGap: () => void send([target.gap]),
    });
    const timer = setInterval(() => void writer.write(target.heartbeat), heartbeatMs);
    const unwatch = this.#credentials.follow(caller, () => stream.end());
    stream.once('close', () => {
      clearInterval(timer);
      unwatch();
      following.stop();
      siblings.delete(end);
      if (siblings.size === 0 && this.#open.get(caller.userId) === siblings) this.#open.delete(caller.userId);
      metrics.eventStreams.dec();
    });
  }

  /**
   * Responds with the newest event that passes the filter, or with a comment if there is no such event, and ends. Throws what
   * `requireValid` throws.
   */
  async latest(ctx: Ctx, caller: Caller, filter: EventFilter): Promise<void> {
    const filters = eventsWithin(filter, caller.accountIds);
    const found = await Promise.all(filters.map((one) => this.#services.journal.latest(caller.team, one)));
    const [event] = found.filter((one) => one !== null).sort((one, other) => other.number - one.number);
    await this.#credentials.requireValid(caller);
    begin(ctx).end(event === undefined ? ': no events yet\n\n' : frameOf(event));
  }

  /** Ends all streams. Their clients reconnect after `retryMs`, to another process or to this process's successor. */
  close(): void {
    for (const end of [...this.#open.values()].flatMap((siblings) => [...siblings])) end();
  }
}

/** Sends a stream's head. Prevents proxies from compressing, storing or buffering the stream. */
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

/**
 * Writes frames after checking that the credential is still valid. The check starts once the frames exist, so a stream never shows mail
 * that arrived after its credential ended. If the store does not respond, the stream ends and its client reconnects.
 */
class ConfirmedFrames {
  readonly #writer: Writer;
  readonly #confirm: () => Promise<boolean>;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #sending: Promise<void> | null = null;

  constructor(writer: Writer, confirm: () => Promise<boolean>) {
    this.#writer = writer;
    this.#confirm = confirm;
  }

  send(frames: Iterable<Buffer>): void | Promise<void> {
    for (const frame of frames) {
      this.#waiting.push(frame);
      this.#waitingBytes += frame.length;
    }
    if (this.#waiting.length === 0) return;
    if (this.#sending !== null && this.#waitingBytes > mostBacklog) {
      this.#writer.cut('answers.streamBacklogBytes');
    }
    this.#sending ??= this.#sendWaiting();
    return this.#sending;
  }

  /**
   * Sends the waiting frames. Frames that arrive during a check wait for the next check. Resolves when the client has read all frames.
   */
  async #sendWaiting(): Promise<void> {
    let written: unknown = null;
    while (this.#waiting.length > 0) {
      const frames = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      if (await this.#confirm().catch(() => false)) written = this.#writer.write(frames);
      else this.#writer.end();
    }
    this.#sending = null;
    await written;
  }
}

/**
 * Writes frames one by one. If it cannot write everything immediately, returns a promise, and writes the rest as the client reads.
 * Disconnects a client that reads nothing for `unreadMs`, or leaves more than `streamBacklogBytes` unread.
 */
class Writer {
  readonly #stream: Writable;
  readonly #user: Id;
  readonly #onCut: (limit: LimitName) => void;

  constructor(stream: Writable, user: Id, onCut: (limit: LimitName) => void) {
    this.#stream = stream;
    this.#user = user;
    this.#onCut = onCut;
  }

  end(): void {
    this.#stream.end();
  }

  write(frames: Iterable<Buffer>): void | Promise<void> {
    const rest = frames[Symbol.iterator]();
    if (!this.#writeSome(rest)) return this.#writeOn(rest);
  }

  /** Writes until the client is congested or `pieceBytes` are written. Returns true if nothing is left to write. */
  #writeSome(rest: Iterator<Buffer>): boolean {
    const stream = this.#stream;
    let bytes = 0;
    stream.cork();
    for (;;) {
      const { done, value: frame } = isOpen(stream) ? rest.next() : { done: true, value: undefined };
      if (done || frame === undefined) break;
      if (stream.writableLength + frame.length > mostBacklog) {
        this.cut('answers.streamBacklogBytes');
        break;
      }
      stream.write(frame);
      bytes += frame.length;
      if (bytes >= pieceBytes || stream.writableNeedDrain) break;
    }
    stream.uncork();
    return !isOpen(stream) || (bytes < pieceBytes && !stream.writableNeedDrain);
  }

  async #writeOn(rest: Iterator<Buffer>): Promise<void> {
    do {
      if (this.#stream.writableNeedDrain && !(await this.#drained())) this.cut('answers.unreadMs');
      await turnOfStream(this.#user);
    } while (!this.#writeSome(rest));
  }

  /** Waits until the client has read the written bytes or has gone. Returns false after `unreadMs`. */
  #drained(): Promise<boolean> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const settle = (inTime: boolean) => {
        clearTimeout(timer);
        stream.off('drain', done).off('close', done);
        resolve(inTime);
      };
      const done = () => settle(true);
      const timer = setTimeout(() => settle(false), unreadMs);
      stream.on('drain', done).on('close', done);
      if (!isOpen(stream)) done();
    });
  }

  cut(limit: LimitName): void {
    if (!isOpen(this.#stream)) return;
    this.#onCut(limit);
    this.#stream.destroy();
  }
}

function isOpen(stream: Writable): boolean {
  return !stream.destroyed && !stream.writableEnded;
}

/** Returns the events that pass at least one of the filters. */
function passing(events: MailEvent[], filters: EventFilter[]): MailEvent[] {
  return events.filter((event) => filters.some((filter) => passes(event, filter)));
}
