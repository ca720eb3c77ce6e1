import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { Headers, HttpClient, Json } from './http.ts';

/** Frame as an EventSource would see it. `comment` is the text after a colon at the start of a line. */
export type Frame = { id?: string; event?: string; data?: Json; retry?: string; comment?: string };

const patienceMs = 60_000;

/** Event stream client. A wait throws after 60 s. */
export class EventReader implements AsyncDisposable {
  readonly frames: Frame[] = [];
  readonly response: IncomingMessage;
  /** Resolves when either side ends the stream. */
  readonly ended: Promise<void>;
  #rest = '';
  #wake: () => void = () => {};

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    // A broken stream has also ended.
    response.on('error', () => {});
    this.ended = new Promise((resolve) => {
      response.on('close', () => {
        this.#wake();
        resolve();
      });
    });
  }

  /** Opens a stream, and waits until it starts. */
  static async open(api: HttpClient, query = '', headers: Headers = {}): Promise<EventReader> {
    const response = await api.open('GET', `/api/events${query}`, { headers });
    const reader = new EventReader(response);
    assert.equal(response.statusCode, 200);
    await reader.until((frames) => frames.length > 0);
    return reader;
  }

  get events(): Frame[] {
    return this.frames.filter((frame) => frame.event !== undefined);
  }

  /** Waits until the frames meet a condition. */
  async until(met: (frames: Frame[]) => boolean, forMs = patienceMs): Promise<void> {
    const deadline = Date.now() + forMs;
    while (!met(this.frames)) {
      const left = deadline - Date.now();
      assert.ok(left > 0 && !this.response.destroyed, `the stream gave only ${JSON.stringify(this.frames)}`);
      const timer = setTimeout(() => this.#wake(), left);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      clearTimeout(timer);
    }
  }

  /** Waits for a number of events. */
  async count(events: number): Promise<Frame[]> {
    await this.until(() => this.events.length >= events);
    return this.events;
  }

  async [Symbol.asyncDispose]() {
    this.response.destroy();
    await this.ended;
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    this.frames.push(...blocks.map(parseFrame));
    this.#wake();
  }
}

function parseFrame(block: string): Frame {
  const frame: Frame = {};
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
    if (field === '') frame.comment = value;
    else if (field === 'data') frame.data = JSON.parse(value);
    else if (field === 'id' || field === 'event' || field === 'retry') frame[field] = value;
  }
  return frame;
}
