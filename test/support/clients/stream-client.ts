import { type IncomingMessage, request } from 'node:http';
import { paced } from '#test/support/runner/clocks.ts';

/** Process that serves streams while it is up. */
type Source = { isUp: boolean; httpPort: number };

/**
 * Event stream client that never gives up. When its stream ends, it continues after its last event (Last-Event-ID) at the next
 * source that is up. It starts at the journal's first event.
 */
export class StreamClient implements AsyncDisposable {
  /** Message of each event, in order of arrival. */
  readonly messageIds: number[] = [];
  /** Deviations from the next expected event: an event that is repeated, out of order or missing, or a resync. */
  readonly faults: string[] = [];
  /** Number of streams that have started. */
  connections = 0;
  /** Time of the last event, by `performance.now()`. */
  lastAt = 0;
  #last = 0;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(sources: Source[], key: string, first = 0) {
    this.#done = this.#run(sources, key, first);
  }

  /** Number of the last event. */
  get last(): number {
    return this.#last;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(sources: Source[], key: string, first: number): Promise<void> {
    for (let turn = first; !this.#stopping.signal.aborted; turn += 1) {
      const source = sources[turn % sources.length];
      if (!source?.isUp) {
        await paced(10);
        continue;
      }
      // The client later retries a pod that cannot be reached or cannot reach its store.
      await this.#read(source.httpPort, key).catch(() => {});
      await paced(50);
    }
  }

  async #read(port: number, key: string): Promise<void> {
    const headers = { 'X-API-KEY': key, 'Last-Event-ID': String(this.#last) };
    const response = await open(port, headers, this.#stopping.signal);
    if (response.statusCode !== 200) return void response.destroy();
    this.connections += 1;
    let rest = '';
    for await (const piece of response.setEncoding('utf8')) {
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const [, id, messageId] = /^id: (\d+)\nevent: new-message\ndata: {.*?"id":(\d+)/.exec(block) ?? [];
    if (id === undefined) {
      if (block.startsWith('event:')) this.faults.push(block);
      return;
    }
    const number = Number(id);
    if (number !== this.#last + 1) this.faults.push(`event ${number} after ${this.#last}`);
    this.#last = number;
    this.lastAt = performance.now();
    this.messageIds.push(Number(messageId));
  }
}

function open(port: number, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: '/api/events', headers, agent: false, signal });
    outgoing.on('response', resolve).on('error', reject).end();
  });
}
