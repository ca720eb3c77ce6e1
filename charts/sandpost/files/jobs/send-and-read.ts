import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** Test for `helm test`: sends an email through the SMTP Service and reads it through the API's Service. */
const { API_URL = '', SMTP_HOST = '', SMTP_PORT = '25', DOMAIN = '' } = process.env;
const headers = {
  'x-api-key': readFileSync('/etc/sandpost/api-key', 'utf8').trim(),
  'content-type': 'application/json',
};
const address = `helm-test@${DOMAIN}`;
const code = String(Math.floor(Math.random() * 900_000) + 100_000);

type Item = { id: number; domain?: string; codes?: { value: string }[] };
type Answer = Item & { items?: Item[] };

async function api(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${API_URL}/api${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Sends each line after a reply with the expected code. */
async function send(dialogue: [expected: number, line: string][]): Promise<void> {
  const socket = connect(Number(SMTP_PORT), SMTP_HOST);
  await once(socket, 'connect');
  const replies = createInterface(socket)[Symbol.asyncIterator]();
  for (const [expected, line] of dialogue) {
    let reply = '';
    do reply = (await replies.next()).value ?? 'the connection was closed';
    while (/^\d{3}-/.test(reply));
    if (!reply.startsWith(String(expected))) throw new Error(`expected ${expected}, got: ${reply}`);
    socket.write(`${line}\r\n`);
  }
  socket.end();
}

/** Waits for the API. A Job applied without Helm may start before the pods that it calls. */
async function ready(): Promise<void> {
  for (let left = 60; ; left -= 1) {
    try {
      await api('GET', '/domains?limit=1');
      return;
    } catch (error) {
      if (left === 0) throw error;
      await pause(2000);
    }
  }
}

async function removeDomain(): Promise<void> {
  const { items = [] } = await api('GET', `/domains?domain=${DOMAIN}`);
  for (const { id } of items) await api('DELETE', `/domains/${id}`);
}

await ready();
await removeDomain();
await api('POST', '/domains', { domain: DOMAIN, mx_verified: true });
await api('POST', '/accounts', { address });
await send([
  [220, 'EHLO helm-test'],
  [250, 'MAIL FROM:<helm-test@example.com>'],
  [250, `RCPT TO:<${address}>`],
  [250, 'DATA'],
  [
    354,
    `From: helm-test@example.com\r\nTo: ${address}\r\nSubject: helm test\r\n\r\nYour code is ${code}.\r\n.`,
  ],
  [250, 'QUIT'],
]);
const { items = [] } = await api('GET', `/messages?to=${address}&wait=30`);
const message = await api('GET', `/messages/${items[0]?.id ?? 0}`);
if (message.codes?.[0]?.value !== code) throw new Error(`the email does not contain the code ${code}`);
await removeDomain();
console.log(`sent an email to ${address} and read it`);
