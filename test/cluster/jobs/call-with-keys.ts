import { setTimeout as pause } from 'node:timers/promises';
import { print, url } from './client.ts';

/** Calls the API with keys of each scope until SIGTERM, and counts the responses. A key may do only what its scope allows. */
const { READ_KEY = '', SEND_KEY = '', FULL_KEY = '' } = process.env;

/** Key, call, and the status that its scope requires. An allowed call names nothing that exists. */
const calls: [name: string, key: string, method: string, path: string, status: number][] = [
  ['read lists', READ_KEY, 'GET', '/api/messages?limit=1', 200],
  ['read makes', READ_KEY, 'POST', '/api/accounts', 403],
  ['send lists', SEND_KEY, 'GET', '/api/messages?limit=1', 403],
  ['send makes', SEND_KEY, 'POST', '/api/accounts', 403],
  ['full lists', FULL_KEY, 'GET', '/api/messages?limit=1', 200],
  ['full makes', FULL_KEY, 'POST', '/api/accounts', 422],
];
const pauseMs = 500;
const counts: Record<string, number> = {};
let isTold = false;
process.once('SIGTERM', () => {
  isTold = true;
});

print({ calling: calls.length });
while (!isTold) {
  for (const [name, key, method, path, status] of calls) {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' };
    const body = method === 'POST' ? { body: JSON.stringify({ address: 'nobody' }) } : {};
    const found = await fetch(`${url}${path}`, { method, headers, ...body }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 'no answer',
    );
    const outcome = found === status ? name : `${name}: ${found}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  await pause(pauseMs);
}
print({ counts });
