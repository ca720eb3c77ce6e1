import { setTimeout as sleep } from 'node:timers/promises';
import { letters } from './mails.ts';
import type { Contender } from './servers.ts';
import { SmtpConnection } from './smtp-connection.ts';

const clients = 20;

/**
 * Sends letters at a steady rate (per second) over persistent connections, whether or not the earlier ones are answered. Returns the time
 * (performance.now) of each ID's 250.
 */
export async function sendSteadily(
  server: Contender,
  { mails, rate, first }: { mails: number; rate: number; first: number },
): Promise<Map<string, number>> {
  const nextMail = letters(server.recipient, first);
  const idle = await Promise.all(
    Array.from({ length: clients }, async () => {
      const connection = await SmtpConnection.open(server.smtpPort);
      await connection.hello();
      return connection;
    }),
  );
  const storedAt = new Map<string, number>();
  const sending: Promise<void>[] = [];
  const failures: unknown[] = [];
  const begun = performance.now();
  for (let sent = 0; sent < mails && failures.length === 0; sent++) {
    const due = begun + (sent * 1000) / rate;
    while (performance.now() < due || (idle.length === 0 && failures.length === 0))
      await sleep(Math.max(1, due - performance.now()));
    const connection = idle.pop();
    if (connection === undefined) break;
    const send = async () => {
      const id = await connection.send(server.recipient, nextMail());
      storedAt.set(id, performance.now());
      idle.push(connection);
    };
    sending.push(send().catch((error) => void failures.push(error)));
  }
  await Promise.all(sending);
  if (failures.length > 0) throw failures[0];
  await Promise.all(idle.map((connection) => connection.quit()));
  return storedAt;
}
