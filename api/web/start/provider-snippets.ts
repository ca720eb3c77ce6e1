import type { Snippet } from './snippets.ts';

/** Placeholder for an API key in the lines. */
const key = 'API_KEY';

/** Returns lines that point the clients of email providers at this page's server, whose address may have a path. */
export function providerSnippets(origin: string): Snippet[] {
  const at = (provider: string) => `${origin}/providers/${provider}`;
  const { host, protocol, pathname } = new URL(origin);
  const path = pathname.replace(/\/$/, '');
  return [
    {
      name: 'SendGrid',
      file: '@sendgrid/mail',
      text: `import sendgrid from '@sendgrid/mail';
import client from '@sendgrid/client';

sendgrid.setClient(client);
sendgrid.setApiKey('${key}');
client.setDefaultRequest('baseUrl', '${at('sendgrid')}');`,
    },
    {
      name: 'Postmark',
      file: 'postmark',
      text: `import { ServerClient } from 'postmark';

const client = new ServerClient('${key}', {
  useHttps: ${protocol === 'https:'},
  requestHost: '${host}${path}/providers/postmark',
});`,
    },
    {
      name: 'Mailgun',
      file: 'mailgun.js',
      text: `import FormData from 'form-data';
import Mailgun from 'mailgun.js';

const client = new Mailgun(FormData).client({
  username: 'api',
  key: '${key}',
  url: '${at('mailgun')}',
});`,
    },
    {
      name: 'Resend',
      file: '.env',
      text: `RESEND_API_KEY=${key}
RESEND_BASE_URL=${at('resend')}`,
    },
    {
      name: 'SES',
      file: '.env',
      text: `AWS_ENDPOINT_URL_SESV2=${at('ses')}
AWS_ENDPOINT_URL_SES=${at('ses')}
AWS_ACCESS_KEY_ID=${key}
AWS_SECRET_ACCESS_KEY=any
AWS_REGION=us-east-1`,
    },
    {
      name: 'Mailjet',
      file: 'node-mailjet',
      text: `import Mailjet from 'node-mailjet';

Mailjet.Request.protocol = '${protocol}//';
const client = new Mailjet({
  apiKey: '${key}',
  apiSecret: 'any',
  config: { host: '${host}/providers/mailjet' },
});`,
    },
    {
      name: 'Brevo',
      file: '@getbrevo/brevo',
      text: `import { BrevoClient } from '@getbrevo/brevo';

const client = new BrevoClient({ apiKey: '${key}', baseUrl: '${at('brevo')}/v3' });`,
    },
    {
      name: 'MailerSend',
      file: 'mailersend',
      text: `import { MailerSend } from 'mailersend';
import { EmailModule } from 'mailersend/lib/modules/Email.module.js';

const client = new MailerSend({ apiKey: '${key}' });
client.email = new EmailModule('${key}', '${at('mailersend')}/v1');`,
    },
  ];
}
