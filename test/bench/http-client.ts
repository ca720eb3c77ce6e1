import { Agent, request } from 'node:http';

/** Port of a server, and the header fields of each request to it. */
export type Endpoint = { httpPort: number; headers: Record<string, string> };

const agent = new Agent({ keepAlive: true });

/** Sends a request with an optional JSON body, and returns the parsed response. Throws unless the status is 200. */
export function callJson<T>(
  { httpPort, headers }: Endpoint,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const content = body === undefined ? '' : JSON.stringify(body);
  const own = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: '127.0.0.1',
      port: httpPort,
      method,
      path,
      headers: { ...headers, ...own },
    };
    request(options, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(`${method} ${path} answers ${response.statusCode}: ${text.slice(0, 500)}`));
    })
      .on('error', reject)
      .end(content);
  });
}
