import { once } from 'node:events';
import { get } from 'node:http';
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

type Target = {
  httpPort: number;
  smtpPort: number;
  key: string;
  address: string;
  /** Account that sends by the API, or null. */
  sender: number | null;
};

const target: Target = JSON.parse(process.env.PROBE ?? '{}');
const pauseMs = 20;
const mail = 'From: friend@example.com\r\nSubject: probe\r\n\r\nHello.\r\n';

const worst = { answerMs: 0, greetingMs: 0, deliveryMs: 0, sendMs: 0, idleServerMs: 0 };
let ending = false;

/** Repeats a probe until the end. Skips the first, which runs code that is not compiled yet. */
async function repeat(name: keyof Probes, probe: () => Promise<void>, started: () => void): Promise<void> {
  await probe();
  started();
  for (let last = false; !last; ) {
    last = ending;
    const begun = performance.now();
    await probe();
    worst[name] = Math.max(worst[name], performance.now() - begun);
    await paced(pauseMs);
  }
}

function request(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = get(
      { host: '127.0.0.1', port, path, headers: { 'x-api-key': target.key } },
      (answer) => {
        answer.resume();
        answer.once('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`)),
        );
      },
    );
    outgoing.once('error', reject);
  });
}

async function greeting(): Promise<void> {
  const client = new SmtpClient(target.smtpPort);
  const reply = await client.reply();
  client.destroy();
  if (!reply.startsWith('220')) throw new Error(`the greeting was ${reply}`);
}

async function delivery(): Promise<void> {
  const client = await SmtpClient.open(target.smtpPort);
  const reply = await client.send('friend@example.com', [target.address], mail);
  client.destroy();
  if (!reply.startsWith('250')) throw new Error(`the mail was answered with ${reply}`);
}

let sent = 0;

/** Alternates between sending by the API and by a provider API. */
async function send(): Promise<void> {
  const base = `http://127.0.0.1:${target.httpPort}`;
  const headers = {
    'content-type': 'application/json',
    'x-api-key': target.key,
    authorization: `Bearer ${target.key}`,
  };
  const mail = { to: [target.address], subject: 'probe', text: 'Hello.' };
  sent += 1;
  const [path, fields] =
    sent % 2 === 0
      ? [`/api/accounts/${target.sender}/messages/send`, {}]
      : ['/providers/resend/emails', { from: target.address }];
  const answer = await fetch(base + path, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...mail, ...fields }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

/** Returns the median time of some requests to send. */
async function usualSendMs(): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    const begun = performance.now();
    await send();
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

process.once('message', () => {
  ending = true;
});
const idlePort = await startIdleServer();
let running = 0;
const sends = target.sender !== null;
const usualMs = sends ? await usualSendMs() : 0;
const started = () => {
  running += 1;
  if (running === (sends ? 5 : 4)) process.send?.('started');
};
await Promise.all([
  ...(sends ? [repeat('sendMs', send, started)] : []),
  repeat('answerMs', () => request(target.httpPort, '/api/messages?limit=1'), started),
  repeat('idleServerMs', () => request(idlePort, '/'), started),
  repeat('greetingMs', greeting, started),
  repeat('deliveryMs', delivery, started),
]);
worst.sendMs = Math.max(0, worst.sendMs - usualMs);
process.send?.(worst satisfies Probes);
process.exit();
