import { brevo } from './brevo.ts';
import { mailersend } from './mailersend.ts';
import { mailgun } from './mailgun.ts';
import { mailjet } from './mailjet.ts';
import { postmark } from './postmark.ts';
import type { Provider } from './provider.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';

/** E-mail providers whose requests are taken, in the order of the OpenAPI document. */
export const providers: Provider[] = [sendgrid, postmark, mailgun, resend, ses, mailjet, brevo, mailersend];

/** Returns the provider that the target of a request names, as in `/providers/sendgrid/v3/mail/send`, or null. */
export function providerOf(target: string | undefined): Provider | null {
  const [, name] = /^\/providers\/([a-z]+)(?:[/?]|$)/.exec(target ?? '') ?? [];
  return providers.find((provider) => provider.name === name) ?? null;
}
