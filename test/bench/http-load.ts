import { Agent, get, type RequestOptions } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** Load of several clients. Each requests the paths in turn on a separate connection, one request at a time. */
export type HttpLoad = {
  port: number;
  /** Header fields of all requests, or a list with each path's header fields. */
  headers: Record<string, string> | Record<string, string>[];
  paths: string[];
  clients: number;
  /** Duration in seconds. A client ends after its first request past this time. */
  seconds: number;
};

/** Outcome. `latencies` are in ms, from the request to the response's last byte. */
export type HttpOutcome = { seconds: number; latencies: number[] };

async function load(job: HttpLoad): Promise<HttpOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: job.clients });
  const latencies: number[] = [];
  const begun = performance.now();
  const until = begun + job.seconds * 1000;
  let next = 0;
  const client = async () => {
    while (performance.now() < until) {
      const place = next++ % job.paths.length;
      const path = job.paths[place] ?? '/';
      const headers = Array.isArray(job.headers) ? job.headers[place] : job.headers;
      const asked = performance.now();
      await read({ agent, host: '127.0.0.1', port: job.port, path, headers: headers ?? {} });
      latencies.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: job.clients }, client));
  const seconds = (performance.now() - begun) / 1000;
  agent.destroy();
  return { seconds, latencies };
}

function read(options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    get(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${options.path} answers ${response.statusCode}`));
      response.resume().on('end', resolve).on('error', reject);
    }).on('error', reject);
  });
}

parentPort?.postMessage(await load(workerData));
