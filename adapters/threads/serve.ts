import { parentPort, type Transferable } from 'node:worker_threads';
import * as coreErrors from '#core/errors.ts';

/** Method call. `size`: number of bytes to pass as the last argument, from the message's buffer after the bytes of the previous calls. */
type Call = { id: number; method: string; args: unknown[]; size?: number };
type Answer = { id: number; result: unknown } | { id: number; error: SentError };

/** Message to a thread: method calls, or a request to end after the preceding calls. */
export type ToThread = { calls: Call[]; bytes?: Uint8Array<ArrayBuffer> } | { end: true };

/**
 * Message from a thread: it has loaded its modules, or calls have ended. `current` contains the id of the current call, or 0 if unknown,
 * because a method continues untracked after its first `await`.
 */
export type FromThread = { current: Int32Array } | { answers: Answer[] };

/** Error as a message between threads: its name, and its own fields if it is a core error. */
export type SentError = { name: string; message: string; fields: object };

/** Methods of a thread by name. They may return promises. */
export type Methods = Record<string, (...args: never[]) => unknown>;

export class Moved<Result> {
  readonly result: Result;
  readonly buffers: Transferable[];
  constructor(result: Result, buffers: Transferable[]) {
    this.result = result;
    this.buffers = buffers;
  }
}

/** Marks a method's result, whose `buffers` move to the caller instead of being copied. */
export function moving<Result>(result: Result, buffers: Transferable[]): Moved<Result> {
  return new Moved(result, buffers);
}

export type ServeOptions = {
  /** Called before `close` ends the thread. */
  end?(): void;
  /** Starts a call by calling `run`, immediately or later. */
  begin?(run: () => void, ...args: never[]): void;
  /** Sends all results from one turn of the event loop in one message. */
  batched?: boolean;
};

/** Entry point of a worker thread: handles the calls of a `Thread` in the main thread with `methods`. */
export function serve(methods: Methods, options: ServeOptions = {}): void {
  const { end, begin = (run) => run(), batched = false } = options;
  const port = parentPort;
  if (port === null) throw new Error('this module must run in a worker thread');
  const current = new Int32Array(new SharedArrayBuffer(4));
  let answers: Answer[] = [];
  let moved: Transferable[] = [];

  function flush(): void {
    const [sent, buffers] = [answers, moved];
    [answers, moved] = [[], []];
    port?.postMessage({ answers: sent } satisfies FromThread, buffers);
  }

  function send(answer: Answer, buffers: Transferable[] = []): void {
    for (const one of buffers) moved.push(one);
    const count = answers.push(answer);
    if (!batched) flush();
    else if (count === 1) setImmediate(flush);
  }

  async function answer({ id, method, args }: Call): Promise<void> {
    try {
      const run = methods[method];
      if (run === undefined) throw new TypeError(`no method ${method}`);
      const result = await run(...(args as never[]));
      if (result instanceof Moved) send({ id, result: result.result }, result.buffers);
      else send({ id, result });
    } catch (error) {
      send({ id, error: toMessage(error) });
    }
  }

  function run(call: Call): void {
    Atomics.store(current, 0, call.id);
    void answer(call);
    Atomics.store(current, 0, 0);
  }

  port.on('message', (message: ToThread) => {
    if ('calls' in message) {
      let at = 0;
      for (const call of message.calls) {
        if (call.size !== undefined) {
          call.args.push(message.bytes?.subarray(at, at + call.size));
          at += call.size;
        }
        begin(() => run(call), ...(call.args as never[]));
      }
      return;
    }
    end?.();
    flush();
    port.close();
  });
  port.postMessage({ current } satisfies FromThread);
}

function toMessage(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), fields: {} };
  const { name, message } = error;
  // Other errors' fields may be anything, including values that cannot be copied.
  return { name, message, fields: Object.hasOwn(coreErrors, name) ? { ...error } : {} };
}
