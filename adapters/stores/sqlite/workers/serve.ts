import { parentPort } from 'node:worker_threads';
import { sendError } from '#adapters/stores/sqlite/errors.ts';
import type { Answer, Request } from './worker-thread.ts';

/** Methods of a thread of the store, by noun. */
type Nouns = Record<string, Record<string, (...args: never[]) => unknown>>;

/** Answers the calls of the main thread with `nouns`, each run through `around`. Calls `end` at the request to end. */
export function serve(nouns: Nouns, around: (work: () => unknown) => unknown, end: () => void): void {
  const port = parentPort;
  if (port === null) throw new Error('this module must run in a worker thread');
  const perform = (request: Exclude<Request, { end: true }>): Answer => {
    const { call, noun, method, args } = request;
    try {
      const run = nouns[noun]?.[method];
      if (run === undefined) throw new TypeError(`no method ${noun}.${method}`);
      return { call, result: around(() => run(...(args as never[]))) };
    } catch (error) {
      return { call, error: sendError(error) };
    }
  };
  port.on('message', (request: Request) => {
    if ('end' in request) {
      end();
      port.close();
    } else {
      port.postMessage(perform(request));
    }
  });
}
