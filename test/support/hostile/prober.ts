import { once } from 'node:events';
import { get, globalAgent } from 'node:http';
import { Worker } from 'node:worker_threads';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { paced } from '#test/support/runner/clocks.ts';

/**
 * Longest times of a user in a separate process who reads lists, connects by SMTP and sends mail, each repeatedly, until asked to end.
 * `idleServerMs` is the time of an idle server in this process that is requested as often. `sendMs`: time of a request to send, beyond
 * one before the attack; 0 if the target has no `sender`.
 */
export type Probes = {
  answerMs: number;
  greetingMs: number;
  deliveryMs: number;
  sendMs: number;
  idleServerMs: number;
};

export type Target = {
  httpPort: number;
  smtpPort: number;
  key: string;
  address: string;
  /** Account that sends by the API, or null. */
  sender: number | null;
};

const pauseMs = 20;
const mail = 'From: friend@example.com\r\nSubject: probe\r\n\r\nHello.\r\n';

let ending = false;

/** Repeats a probe until the end, and returns its longest time. Skips the first, which runs code that is not compiled yet. */
async function repeat(probe: () => Promise<void>, started: () => void): Promise<number> {
  let worst = 0;
  await probe();
  started();
  for (let last = false; !last; ) {
    last = ending;
    const begun = performance.now();
    await probe();
    worst = Math.max(worst, performance.now() - begun);
    await paced(pauseMs);
  }
  return worst;
}

function request(port: number, path: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = get({ host: '127.0.0.1', port, path, headers: { 'x-api-key': key } }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`)),
      );
    });
    outgoing.once('error', reject);
  });
}

async function greeting(port: number): Promise<void> {
  const client = new SmtpClient(port);
  const reply = await client.reply();
  client.destroy();
  if (!reply.startsWith('220')) throw new Error(`the greeting was ${reply}`);
}

async function delivery({ smtpPort, address }: Target): Promise<void> {
  const client = await SmtpClient.open(smtpPort);
  const reply = await client.send('friend@example.com', [address], mail);
  client.destroy();
  if (!reply.startsWith('250')) throw new Error(`the mail was answered with ${reply}`);
}

let sent = 0;

/** Alternates between sending by the API and by a provider API. */
async function send({ httpPort, key, address, sender }: Target): Promise<void> {
  const base = `http://127.0.0.1:${httpPort}`;
  const headers = { 'content-type': 'application/json', 'x-api-key': key, authorization: `Bearer ${key}` };
  const mail = { to: [address], subject: 'probe', text: 'Hello.' };
  sent += 1;
  const [path, fields] =
    sent % 2 === 0
      ? [`/api/accounts/${sender}/messages/send`, {}]
      : ['/providers/resend/emails', { from: address }];
  const answer = await fetch(base + path, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...mail, ...fields }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

/** Returns the median time of some requests to send. */
async function usualSendMs(target: Target): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    const begun = performance.now();
    await send(target);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[4] ?? 0;
}

/** Starts the idle server in a separate thread, as the program is in a separate process. */
async function startIdleServer(): Promise<number> {
  const thread = new Worker(
    `const server = require('node:http').createServer((_, answer) => answer.end('{}'));
     server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  const [port]: number[] = await once(thread, 'message');
  return port ?? 0;
}

const idlePort = startIdleServer();

async function probe(target: Target): Promise<void> {
  const { httpPort, smtpPort, key } = target;
  const idle = await idlePort;
  const sends = target.sender !== null;
  const usualMs = sends ? await usualSendMs(target) : 0;
  let starting = sends ? 5 : 4;
  const started = () => {
    starting -= 1;
    if (starting === 0) process.send?.('started');
  };
  const [sendMs, answerMs, idleServerMs, greetingMs, deliveryMs] = await Promise.all([
    sends ? repeat(() => send(target), started) : 0,
    repeat(() => request(httpPort, '/api/messages?limit=1', key), started),
    repeat(() => request(idle, '/', key), started),
    repeat(() => greeting(smtpPort), started),
    repeat(() => delivery(target), started),
  ]);
  // The next target would meet connections that a server has closed meanwhile.
  globalAgent.destroy();
  const beyondUsualMs = Math.max(0, sendMs - usualMs);
  process.send?.({ answerMs, greetingMs, deliveryMs, sendMs: beyondUsualMs, idleServerMs } satisfies Probes);
}

// A message with a target starts the probes, and `end` ends them.
process.on('message', (message: Target | 'end') => {
  ending = message === 'end';
  if (message !== 'end') void probe(message);
});
process.once('disconnect', () => process.exit());
