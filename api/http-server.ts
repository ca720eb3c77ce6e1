import { randomUUID } from 'node:crypto';
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problemBody, problemType } from './problem.ts';

/**
 * Times in milliseconds. A client has 15 s for its head and two minutes for its body, however slowly it drips; an answer
 * may take as long as it likes (streams, waits). Idle connections outlive those of the usual load balancers (60 s).
 */
const limits = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** A Node server whose own refusals (unreadable heads, time-outs) are problem details too. */
export function createHttpServer(listener: RequestListener): Server {
  const answers = new WeakMap<Socket, ServerResponse>();
  const serve: RequestListener = (request, response) => {
    answers.set(request.socket, response);
    response.once('close', () => answers.delete(request.socket));
    listener(request, response);
  };
  // A missing Host is refused by `well-formed.ts`, with a body.
  const server = createServer({ ...limits, requireHostHeader: false }, serve);
  // RFC 9110 section 10.1.1 lets a server ignore expectations that it does not know.
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const started = answers.get(socket)?.headersSent ?? false;
    if (!socket.writable || started || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, problemOf(error.code));
  });
  return server;
}

/** What the parser's error means to the client. */
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
  const body = problemBody(problem, requestId);
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
