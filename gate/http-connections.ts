import { IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '#core/limits.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { Slots } from './slots.ts';

type Counter = Pick<Metrics, 'limitReached'>;

/** Number of chunks at the beginning of a body that may have any size. */
const freePieces = 1000;

/**
 * Times in milliseconds. A client has 15 s to send the head and two minutes to send the whole request. Responses may take any time
 * (streams, waits). Idle connections stay open longer than those of common load balancers (60 s).
 */
export const requestTimes = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/**
 * Closes new connections that exceed the limits. `networkOf`: returns the party that an address counts toward, or null for an address
 * that is not limited.
 */
export function boundConnections(
  server: Server,
  metrics: Counter,
  networkOf: (address: string) => string | null,
): void {
  const open = new Slots(limits.http.connectionsPerAddress);
  server.maxConnections = limits.http.connections;
  server.on('drop', () => metrics.limitReached('http.connections'));
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    if (network === null) return;
    const leave = open.take(network);
    if (leave !== null) return void socket.once('close', leave);
    metrics.limitReached('http.connectionsPerAddress');
    socket.destroy();
  });
}

/** Returns a listener that closes a connection if it has too many unanswered requests. */
export function boundRequests(metrics: Counter, listener: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const waiting = unanswered.get(socket) ?? 0;
    if (waiting >= limits.http.requestsPerConnection) {
      if (!socket.destroyed) metrics.limitReached('http.requestsPerConnection');
      socket.destroy();
    }
    if (socket.destroyed) return;
    unanswered.set(socket, waiting + 1);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    listener(request, response);
  };
}

/**
 * Returns a request class that closes connections whose bodies arrive in chunks that are too small: a chunk costs the parser as much as
 * hundreds of bytes. Counts the chunks as the parser finds them, before the body is read.
 */
export function coarseMessage(metrics: Counter) {
  return class extends IncomingMessage {
    #pieces = 0;
    #bytes = 0;

    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      this.#pieces += 1;
      this.#bytes += chunk?.length ?? 0;
      if (this.#pieces <= freePieces || this.#bytes >= this.#pieces * limits.http.bodyPieceBytes) {
        return super.push(chunk, encoding);
      }
      // Closes the connection without a response, which could be sent only after the parser had processed the remaining chunks.
      if (!this.socket.destroyed) metrics.limitReached('http.bodyPieceBytes');
      this.socket.destroy();
      return false;
    }
  };
}

/**
 * Stops the parser of a closed connection. Otherwise Node's parser processes the rest of its 64 KB of input, up to 2,000 requests that
 * nobody answers, in 10 to 40 ms. `parser.onIncoming` is private to Node (checked in 24.21). If it returns a negative number, the parser
 * treats that as an error.
 */
export function endParsingWithConnections(server: Server): void {
  type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => number;
  server.on('connection', (socket: Socket & { parser?: { onIncoming?: OnIncoming } }) => {
    const { parser } = socket;
    const read = parser?.onIncoming;
    if (parser === undefined || read === undefined) return;
    parser.onIncoming = (request, keepAlive) => (socket.destroyed ? -1 : read(request, keepAlive));
  });
}
