import { setTimeout as pause } from 'node:timers/promises';
import { address, mailer, print, sender } from './client.ts';

/** Sends an email twice a second until SIGTERM. Prints `accepted` or `refused` whenever the outcome changes. */
process.once('SIGTERM', () => process.exit());
for (let last = ''; ; await pause(500)) {
  const outcome = await mailer
    .sendMail({ from: sender, to: address, subject: 'one mail', text: 'Hello.' })
    .then(
      ({ response }) => ({ accepted: response }),
      ({ response, message }: Error & { response?: string }) => ({ refused: response ?? message }),
    );
  const [name = ''] = Object.keys(outcome);
  if (name !== last) print(outcome);
  last = name;
}
