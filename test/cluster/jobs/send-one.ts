import { address, mailer, print, sender } from './client.ts';

/** Sends one email, and prints the reply to it, or its recipient's refusal. */
const reply = await mailer.sendMail({ from: sender, to: address, subject: 'one mail', text: 'Hello.' }).then(
  ({ response }) => response,
  ({ response, message }: Error & { response?: string }) => response ?? message,
);
print({ reply });
