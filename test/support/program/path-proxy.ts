import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Proxy on loopback that serves a program below a path, and nothing else. */
export type PathProxy = AsyncDisposable & {
  /** Address of the program behind the proxy, without a trailing slash. */
  baseUrl: string;
  /** Port of the program. */
  target: number;
  /** True removes the path from forwarded requests. */
  strips: boolean;
  /** Requested paths outside its own. */
  strays: string[];
};

export async function startPathProxy(basePath: string, port = 0): Promise<PathProxy> {
  const server = createServer((incoming, answer) => {
    const { url = '/', method, headers } = incoming;
    if (url !== basePath && !url.startsWith(`${basePath}/`)) {
      if (url !== '/favicon.ico') proxy.strays.push(url);
      answer.writeHead(404).end('Another program answers here');
      return;
    }
    const path = proxy.strips ? url.slice(basePath.length) || '/' : url;
    const options = { host: '127.0.0.1', port: proxy.target, method, headers, path };
    const forwarded = request(options, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.rawHeaders);
      given.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const proxy: PathProxy = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`,
    ...{ target: 0, strips: false, strays: [] },
    async [Symbol.asyncDispose]() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
  return proxy;
}
