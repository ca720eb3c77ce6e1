import { randomUUID } from 'node:crypto';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from '#core/access/client-network.ts';
import { limits } from '#core/limits.ts';
import type { Services } from '#setup/services.ts';
import { addressOf, isTrusted } from './middleware/arrival.ts';
import { type Problem, presentProblem, problemType } from './shapes/problem.ts';

/** Number of first chunks of a body that may be of any size. */
const freePieces = 1000;

type Bounding = { config: Pick<Services['config'], 'trustedProxies'>; metrics: Services['metrics'] };

/**
 * Times in milliseconds. A client has 15 s for its head and two minutes for its whole request, however slowly it sends.
 * Answers have no bound (streams, waits). Idle connections outlive those of the usual load balancers (60 s).
 */
const times = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/**
 * Creates a Node server. Its own refusals (unreadable heads, time-outs) are problem details too. It bounds connections in
 * all and by address, and unanswered requests of a connection.
 */
export function createHttpServer(listener: RequestListener, services: Bounding): Server {
  const answers = new WeakMap<Socket, ServerResponse>();
  const unanswered = new WeakMap<Socket, number>();
  const serve: RequestListener = (request, response) => {
    const { socket } = request;
    const waiting = unanswered.get(socket) ?? 0;
    if (waiting >= limits.http.requestsPerConnection) {
      if (!socket.destroyed) services.metrics.limitReached('http.requestsPerConnection');
      socket.destroy();
    }
    if (socket.destroyed) return;
    unanswered.set(socket, waiting + 1);
    answers.set(socket, response);
    // An answer that waited for others of its connection does not inherit their time-out.
    response.once('socket', () => socket.setTimeout(0));
    response.once('close', () => {
      unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
      answers.delete(socket);
    });
    listener(request, response);
  };
  // A missing or repeated Host is refused by `well-formed.ts`, with a body.
  const server = createServer(
    { ...times, IncomingMessage: coarseMessage(services), requireHostHeader: false },
    serve,
  );
  limitConnections(server, services);
  endParsingWithConnections(server);
  // RFC 9110 section 10.1.1 lets a server ignore expectations that it does not know.
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const started = answers.get(socket)?.headersSent ?? false;
    if (!socket.writable || started || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, problemOf(error.code));
  });
  return server;
}

/**
 * Returns a class of requests that closes connections whose bodies come in too small chunks: a chunk costs the parser as much
 * as hundreds of bytes. Counts chunks as the parser gives them, before the body is read.
 */
function coarseMessage({ metrics }: Bounding) {
  return class extends IncomingMessage {
    #pieces = 0;
    #bytes = 0;

    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      this.#pieces += 1;
      this.#bytes += chunk?.length ?? 0;
      if (this.#pieces <= freePieces || this.#bytes >= this.#pieces * limits.http.bodyPieceBytes) {
        return super.push(chunk, encoding);
      }
      // Closes without an answer, which would have to wait until the parser has processed the chunks behind.
      if (!this.socket.destroyed) metrics.limitReached('http.bodyPieceBytes');
      this.socket.destroy();
      return false;
    }
  };
}

/**
 * Stops the parser of a connection that is closed. Node's parser otherwise processes the rest of the 64 KB that it was
 * given: up to 2,000 requests that nobody answers, 10 to 40 ms. `parser.onIncoming` is private to Node (seen in 24.21). A
 * negative result of it is an error to the parser.
 */
function endParsingWithConnections(server: Server): void {
  type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => number;
  server.on('connection', (socket: Socket & { parser?: { onIncoming?: OnIncoming } }) => {
    const { parser } = socket;
    const read = parser?.onIncoming;
    if (parser === undefined || read === undefined) return;
    parser.onIncoming = (request, keepAlive) => (socket.destroyed ? -1 : read(request, keepAlive));
  });
}

/**
 * Closes new connections beyond the bounds. A trusted proxy carries connections of many clients, so it has no bound by
 * address.
 */
function limitConnections(server: Server, { config, metrics }: Bounding): void {
  const open = new Map<string, number>();
  server.maxConnections = limits.http.connections;
  server.on('drop', () => metrics.limitReached('http.connections'));
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket.remoteAddress ?? '', '', null);
    if (config.trustedProxies !== null && isTrusted(address, config.trustedProxies)) return;
    const network = clientNetwork(address);
    const before = open.get(network) ?? 0;
    if (before >= limits.http.connectionsPerAddress) {
      metrics.limitReached('http.connectionsPerAddress');
      socket.destroy();
      return;
    }
    open.set(network, before + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

/** Returns the problem for an error code of the parser. */
function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'headers_too_large', detail: 'The request line and headers are too large' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'request_timeout', detail: 'The request took too long to arrive' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, code: 'payload_too_large', detail: 'The chunk extensions are too large' };
    default:
      return { status: 400, code: 'malformed_request', detail: 'This is not HTTP/1.1' };
  }
}

function refuse(socket: Socket, problem: Problem): void {
  const requestId = randomUUID();
  const body = JSON.stringify(presentProblem(problem, requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
