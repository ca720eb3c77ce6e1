import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ApiServer, writeKubeconfig } from './api-server.ts';

/** Call as the proxy sees it. `path` includes the query. */
export type Call = { method: string; path: string; isWatch: boolean };

/** Fate of a call: a response from the proxy itself, no response, or a reset connection. */
export type Fault = { status: number; headers?: Record<string, string> } | 'silence' | 'reset';

/** Proxy between the operator and a real API server that simulates network and server faults. */
export type ApiProxy = AsyncDisposable & {
  url: string;
  /** Path of the operator's kubeconfig for the proxy. */
  kubeconfig: string;
  /** Calls so far. */
  calls: Call[];
  /** Decides a call's fault. Null forwards the call. */
  fault: (call: Call) => Fault | null;
  /** Hooks: `before` runs before a call is forwarded, `after` when it is done but not yet answered. */
  before: (call: Call) => Promise<void>;
  after: (call: Call) => Promise<void>;
  /** True if a watch line is forwarded. */
  passes: (line: string) => boolean;
  /** Breaks the connections of all watches. */
  cutWatches(): void;
  /** Stops forwarding data over the existing connections, in both directions. They stay open. */
  hold(): void;
};

export async function startApiProxy(server: ApiServer): Promise<ApiProxy> {
  const agent = new Agent({ ca: server.ca, keepAlive: true });
  const sockets = new Set<Socket>();
  const watches = new Set<ServerResponse>();
  const held = new WeakSet<Socket>();
  const listener = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  listener.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const path = incoming.url ?? '/';
    const call = { method: incoming.method ?? 'GET', path, isWatch: path.includes('watch=true') };
    proxy.calls.push(call);
    const fault = proxy.fault(call);
    const body = await text(incoming);
    if (fault === 'silence' || held.has(incoming.socket)) return;
    if (fault === 'reset') return void incoming.socket.resetAndDestroy();
    if (fault !== null) {
      const { status, headers = {} } = fault;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return void response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code: status }));
    }
    await proxy.before(call);
    const { host: _, ...headers } = incoming.headers;
    const upstream = request(`${server.url}${path}`, {
      ...{ agent, method: call.method },
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
    response.once('close', () => upstream.destroy());
    upstream.end(body);
    const [answer]: [IncomingMessage] = (await once(upstream, 'response')) as [IncomingMessage];
    if (call.isWatch && answer.statusCode === 200) return relay(answer, response);
    const said = await text(answer);
    await proxy.after(call);
    if (held.has(incoming.socket)) return;
    const { 'content-type': type = 'application/json' } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, { 'content-type': type });
    response.end(said);
  };

  /** Forwards a watch line by line. */
  const relay = (answer: IncomingMessage, response: ServerResponse) => {
    watches.add(response);
    response.once('close', () => watches.delete(response));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    let rest = '';
    answer.setEncoding('utf8');
    answer.on('data', (piece: string) => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      const isHeld = response.socket !== null && held.has(response.socket);
      for (const line of lines) if (!isHeld && proxy.passes(line)) response.write(`${line}\n`);
    });
    answer.once('end', () => response.end());
    answer.once('error', () => response.destroy());
  };

  const proxy: ApiProxy = {
    url: '',
    kubeconfig: '',
    calls: [],
    fault: () => null,
    before: async () => {},
    after: async () => {},
    passes: () => true,
    cutWatches() {
      for (const watch of watches) watch.socket?.resetAndDestroy();
    },
    hold() {
      for (const socket of sockets) held.add(socket);
    },
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
      agent.destroy();
    },
  };
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  proxy.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const { folder, operatorToken: token } = server;
  proxy.kubeconfig = await writeKubeconfig(`${folder}/through-proxy`, { url: proxy.url, token });
  return proxy;
}
