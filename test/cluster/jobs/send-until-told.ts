import { setTimeout as pause } from 'node:timers/promises';
import { address, get, mailer, print, sender, url } from './client.ts';

/**
 * Sends mail at a steady rate and requests to the API, each on a connection of its own, until SIGTERM. Then counts the mails that the
 * API has. Sends nothing twice, unless `QUEUES` is set: then a mail that is answered 421 is sent again, as a mail server does.
 */
const perSecond = 50;
/** Bound below the 50 connections that one address may have. A machine that cannot keep up lowers the rate instead. */
const mostOpen = 40;
const failures: string[] = [];
const sent: Promise<void>[] = [];
const asked: Promise<void>[] = [];
let accepted = 0;
let open = 0;
let again = 0;
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
    await mailer.sendMail(mail).catch(async (error: { responseCode?: number }) => {
      if (!process.env.QUEUES || error.responseCode !== 421) throw error;
      again += 1;
      await pause(1000);
      await mailer.sendMail(mail);
    });
    accepted += 1;
  } finally {
    open -= 1;
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
  if (number % 5 === 0) asked.push(noted('GET /api/health', ask()));
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
  attempts: sent.length,
  asked: asked.length,
  total,
  seconds,
  failures: failures.slice(0, 20),
});
