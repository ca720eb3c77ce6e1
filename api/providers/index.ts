import { brevo } from './brevo.ts';
import { mailersend } from './mailersend.ts';
import { mailgun } from './mailgun.ts';
import { mailjet } from './mailjet.ts';
import { postmark } from './postmark.ts';
import type { Provider } from './provider.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';

/** Supported email providers, in the order of the OpenAPI document. */
export const providers: Provider[] = [sendgrid, postmark, mailgun, resend, ses, mailjet, brevo, mailersend];
