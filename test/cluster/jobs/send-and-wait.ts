import { setTimeout as pause } from 'node:timers/promises';
import { address, get, mailer, print, sender } from './client.ts';

/**
 * Sends `count` emails one after the other, each until it is accepted. Waits until all are listed, and reads each accepted email back.
 */
const count = 100;
const accepted = new Map<string, string>();
let retries = 0;

print({ begun: address });
for (let number = 1; number <= count; number++) {
  const raw = `From: ${sender}\r\nTo: ${address}\r\nSubject: mail ${number}\r\n\r\n${address} ${number}\r\n`;
  accepted.set(await deliver(raw), raw);
  if (number === count / 4) print({ quarter: number });
}
const list = await get(`/api/messages?to=${encodeURIComponent(address)}&count=${count}&wait=120`);
const unreadable: string[] = [];
for (const [id, raw] of accepted) {
  const response = await get(`/api/messages/${id}/raw`);
  if ((await response.text()) !== raw) unreadable.push(`${id}: status ${response.status}`);
}
print({
  accepted: accepted.size,
  retries,
  wait: list.headers.get('x-wait-result'),
  unreadable,
});

/** Returns the stored email's ID. Sends an email without its 250 again. */
async function deliver(raw: string): Promise<string> {
  for (;;) {
    try {
      const { response } = await mailer.sendMail({ envelope: { from: sender, to: address }, raw });
      const id = /stored as (\d+)/.exec(response)?.[1];
      if (id === undefined) throw new Error(`an odd reply: ${response}`);
      return id;
    } catch (error) {
      retries += 1;
      if (retries > 100) throw error;
      await pause(200);
    }
  }
}
