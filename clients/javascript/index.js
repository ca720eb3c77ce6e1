import { createClient } from './client.js';
import { SandpostError } from './sandpost-error.js';
import { retryAfterOf, serverOf, urlOf } from './server.js';

export { SandpostError };

export function sandpost(options = {}) {
  const server = serverOf(options, globalThis.process?.env ?? {});
  return createClient(server, (steps) => runByFetch(steps, server));
}

async function runByFetch(steps, server) {
  // Node 18 has no global crypto.
  server.crypto ??= globalThis.crypto ?? (await import('node:crypto')).webcrypto;
  let step = steps.next();
  while (!step.done) {
    const { pause } = step.value;
    step = steps.next(await (pause === undefined ? send(step.value, server) : sleep(pause)));
  }
  return step.value;
}

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Seconds that a response may take in addition to the server's wait. */
const grace = 30;

async function send({ method, path, query, body, bytes, seconds }, { url, key }) {
  const headers = {
    ...(key === undefined ? {} : { 'X-API-KEY': key }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  try {
    const response = await fetch(urlOf(url, path, query), {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Another host must not get the key.
      redirect: 'manual',
      signal: AbortSignal.timeout((seconds + grace) * 1000),
    });
    const isWanted = bytes && response.status === 200;
    return {
      status: response.status,
      version: response.headers.get('sandpost-version'),
      retryAfter: retryAfterOf(response.headers.get('retry-after')),
      body: isWanted ? new Uint8Array(await response.arrayBuffer()) : parse(await response.text()),
    };
  } catch (lost) {
    return { lost };
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
