import { parentPort, type Transferable } from 'node:worker_threads';
import * as coreErrors from '#core/errors.ts';

/** Message to a thread: a call of one of its methods, or the request to end after the calls before it. */
export type ToThread = { id: number; method: string; args: unknown[] } | { end: true };

/** Message of a thread: it has loaded its modules, or a call has ended. */
export type FromThread = { ready: true } | { id: number; result: unknown } | { id: number; error: SentError };

/** Error as a message between threads: its name, and its own fields where it is one of the core. */
export type SentError = { name: string; message: string; fields: object };

/** Methods of a thread, by name. They may return promises. */
export type Methods = Record<string, (...args: never[]) => unknown>;

class Moved {
  readonly result: unknown;
  readonly buffers: Transferable[];
  constructor(result: unknown, buffers: Transferable[]) {
    this.result = result;
    this.buffers = buffers;
  }
}

/** Marks the result of a method whose `buffers` move to the caller instead of being copied. */
export function moving(result: unknown, buffers: Transferable[]): unknown {
  return new Moved(result, buffers);
}

/**
 * Entry of a worker thread: answers the calls of a `Thread` in the main thread with `methods`. Calls `end` before the thread
 * ends by `close`.
 */
export function serve(methods: Methods, end: () => void = () => {}): void {
  const port = parentPort;
  if (port === null) throw new Error('this module must run in a worker thread');
  const send = (answer: FromThread, buffers: Transferable[] = []) => port.postMessage(answer, buffers);
  port.on('message', async (message: ToThread) => {
    if ('end' in message) {
      end();
      port.close();
      return;
    }
    const { id, method, args } = message;
    try {
      const run = methods[method];
      if (run === undefined) throw new TypeError(`no method ${method}`);
      const result = await run(...(args as never[]));
      if (result instanceof Moved) send({ id, result: result.result }, result.buffers);
      else send({ id, result });
    } catch (error) {
      send({ id, error: toMessage(error) });
    }
  });
  send({ ready: true });
}

function toMessage(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), fields: {} };
  const { name, message } = error;
  // Fields of other errors may be anything, and cannot be copied then.
  return { name, message, fields: Object.hasOwn(coreErrors, name) ? { ...error } : {} };
}
