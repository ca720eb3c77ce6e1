import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from '#core/access/client-network.ts';
import {
  boundConnections,
  boundRequests,
  coarseMessage,
  endParsingWithConnections,
  requestTimes,
} from '#gate/http-connections.ts';
import type { Services } from '#setup/services.ts';
import { addressOf, isTrusted } from './middleware/arrival.ts';
import { type Problem, presentProblem, problemType } from './shapes/problem.ts';

type Bounding = { config: Pick<Services['config'], 'trustedProxies'>; metrics: Services['metrics'] };

/**
 * Creates a Node server. Its own refusals (unreadable heads, timeouts) are problem details, too. Limits connections in total and per
 * address, and unanswered requests per connection. `becomesSocket`: URLs at which a connection may become a WebSocket.
 */
export function createHttpServer(
  listener: RequestListener,
  services: Bounding,
  becomesSocket: (url: string) => boolean = () => false,
): Server {
  const answers = new WeakMap<Socket, ServerResponse>();
  const serve = boundRequests(services.metrics, (request, response) => {
    const { socket } = request;
    answers.set(socket, response);
    // A response that waited for others on its connection does not inherit their timeout.
    response.once('socket', () => socket.setTimeout(0));
    response.once('close', () => answers.delete(socket));
    listener(request, response);
  });
  // `middleware/arrival.ts` refuses a missing or repeated Host, and its response has a body.
  const server = createServer(
    {
      ...{ ...requestTimes, IncomingMessage: coarseMessage(services.metrics), requireHostHeader: false },
      // A handshake behind unanswered requests gets a normal response, without an upgrade.
      shouldUpgradeCallback: (request) =>
        isHandshake(request) && becomesSocket(request.url ?? '') && !answers.has(request.socket),
    },
    serve,
  );
  boundConnections(server, services.metrics, (address) => networkOf(addressOf(address, '', null), services));
  endParsingWithConnections(server);
  // RFC 9110 section 10.1.1 lets a server ignore unknown expectations.
  server.on('checkExpectation', serve);
  server.on('upgrade', (request, _, head) => {
    request.socket.unshift(head);
    upgrading.add(request);
    serve(request, lastAnswer(request));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const started = answers.get(socket)?.headersSent ?? false;
    if (!socket.writable || started || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, problemOf(error.code));
  });
  return server;
}

/** Requests whose connections wait for a handshake. */
const upgrading = new WeakSet<IncomingMessage>();

/** Checks whether a request is a WebSocket handshake for which Node has already handed over the connection. */
export const isUpgrading = (request: IncomingMessage) => upgrading.has(request);

/** Checks whether a request is a WebSocket handshake (RFC 6455 section 4.1). */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody;
}

/** Creates the response to a request whose connection Node has handed over. The connection ends after a refusal. */
function lastAnswer(request: IncomingMessage): ServerResponse {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  socket.on('error', () => socket.destroy());
  response.once('finish', () => socket.destroySoon());
  response.assignSocket(socket);
  return response;
}

/** Returns the network that counts as one client, or null for a trusted proxy, which carries many clients' connections. */
function networkOf(address: string, { config }: Bounding): string | null {
  return isTrusted(address, config.trustedProxies) ? null : clientNetwork(address);
}

/** Returns the problem for a parser error code. */
function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'headers_too_large', detail: 'The request line and headers are too large' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'request_timeout', detail: 'The request took too long to arrive' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, code: 'payload_too_large', detail: 'The chunk extensions are too large' };
    default:
      return { status: 400, code: 'malformed_request', detail: 'The request is not HTTP/1.1' };
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
