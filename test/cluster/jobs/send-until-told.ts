import { setTimeout as pause } from 'node:timers/promises';
import { address, get, mailer, print, sender, url } from './client.ts';

/**
 * Sends mail and API requests at a steady rate, each on a separate connection, until SIGTERM. Then counts the emails that the API has.
 * Sends nothing twice, unless `QUEUES` is set: then it resends what was not accepted, as a mail server does.
 */
const perSecond = 10;
/** Maximum open connections. A machine that cannot keep up lowers the rate instead, because more connections would each wait longer. */
const mostOpen = 10;
/** Number of attempts for a queued email. */
const mostTimes = 5;
const failures: string[] = [];
const sent: Promise<void>[] = [];
const asked: Promise<void>[] = [];
let accepted = 0;
let open = 0;
/** Resent emails, and those whose connection broke: the service may have stored these twice. */
let again = 0;
let broken = 0;
let isTold = false;
process.once('SIGTERM', () => {
  isTold = true;
});

const noted = (what: string, attempt: Promise<unknown>): Promise<void> =>
  attempt.then(
    () => {},
    (error: Error) => void failures.push(`${new Date().toISOString()} ${what}: ${error.message}`),
  );

async function send(number: number): Promise<void> {
  const mail = { from: sender, to: address, subject: `mail ${number}`, text: 'one of many' };
  open += 1;
  try {
    for (let time = 1; !(await isAccepted(mail, time)); time++) await pause(1000);
    accepted += 1;
  } finally {
    open -= 1;
  }
}

/**
 * Sends an email. Returns false if a queue would resend it. Throws what no queue recovers from and a test must see: a refused connection.
 */
async function isAccepted(mail: Parameters<typeof mailer.sendMail>[0], time: number): Promise<boolean> {
  try {
    await mailer.sendMail(mail);
    return true;
  } catch (error) {
    const { responseCode, message } = error as Error & { responseCode?: number };
    const isFinal = (responseCode ?? 0) >= 500 || message.includes('ECONNREFUSED');
    if (!process.env.QUEUES || isFinal || time === mostTimes) throw error;
    again += 1;
    if (responseCode === undefined) broken += 1;
    return false;
  }
}

async function ask(): Promise<void> {
  const response = await fetch(`${url}/api/health`, { headers: { connection: 'close' } });
  if (!response.ok) throw new Error(`status ${response.status}`);
  await response.arrayBuffer();
}

const begun = performance.now();
print({ sending: perSecond });
for (let number = 1; !isTold; number++) {
  sent.push(noted(`mail ${number}`, send(number)));
  if (number % 2 === 0) asked.push(noted('GET /api/health', ask()));
  await pause(begun + (number * 1000) / perSecond - performance.now());
  while (open >= mostOpen) await pause(5);
}
const seconds = (performance.now() - begun) / 1000;
await Promise.all([...sent, ...asked]);
const list = await (await get('/api/messages?limit=1')).json();
const { total } = (list as { pagination: { total: number } }).pagination;
print({
  accepted,
  again,
  broken,
  attempts: sent.length,
  asked: asked.length,
  total,
  seconds,
  failures: failures.slice(0, 20),
});
