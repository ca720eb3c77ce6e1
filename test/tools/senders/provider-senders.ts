import { nodeClient, runPython } from '#test/support/clients/provider-clients.ts';

/** Server that a client sends to, and the recipient. */
export type Access = { url: string; key: string; to: string };

/** Call to an official client. Returns the status that it reports: 200 for each success, null if no response arrived. */
type Send = (access: Access) => Promise<number | null>;

const from = 'shop@example.com';

/** Calls, and returns the status. Clients name it differently. */
async function statusOf(call: () => Promise<unknown>): Promise<number | null> {
  try {
    await call();
    return 200;
  } catch (error) {
    const { $metadata, statusCode, status, code } = error as Record<string, unknown> & {
      $metadata?: { httpStatusCode?: number };
    };
    const told = [$metadata?.httpStatusCode, statusCode, status, code];
    return told.find((one): one is number => typeof one === 'number' && one > 0) ?? null;
  }
}

type Ses = Record<string, new (input: object) => { send(command: object): Promise<unknown> }>;

const sesMail = (to: string) => ({
  FromEmailAddress: from,
  Destination: { ToAddresses: [to] },
  Content: { Simple: { Subject: { Data: 'SES' }, Body: { Text: { Data: 'Hello' } } } },
});

const bySes: Send = ({ url, key, to }) => {
  const { SESv2Client: Client, SendEmailCommand: Command } = nodeClient<Ses>('@aws-sdk/client-sesv2');
  if (Client === undefined || Command === undefined) throw new Error('The SDK has no SendEmail');
  const credentials = { accessKeyId: key, secretAccessKey: 'any' };
  const client = new Client({ endpoint: url, region: 'eu-central-1', credentials });
  return statusOf(() => client.send(new Command(sesMail(to))));
};

const script = `
import boto3, json, sys
from botocore.exceptions import ClientError, HTTPClientError
given = json.load(sys.stdin)
client = boto3.client('sesv2', endpoint_url=given['url'], region_name='eu-central-1',
                      aws_access_key_id=given['key'], aws_secret_access_key='any')
try:
    client.send_email(**given['input'])
    print(200)
except ClientError as error:
    print(error.response['ResponseMetadata']['HTTPStatusCode'])
except HTTPClientError:
    print('null')
`;
const byBoto3: Send = async (access) =>
  JSON.parse(await runPython(script, { ...access, input: sesMail(access.to) }));

type Brevo = { transactionalEmails: { sendTransacEmail(request: object): Promise<unknown> } };

const byBrevo: Send = ({ url, key, to }) => {
  type Options = { apiKey: string; baseUrl: string; timeoutInSeconds: number };
  const { BrevoClient } = nodeClient<{ BrevoClient: new (options: Options) => Brevo }>('@getbrevo/brevo');
  // After a lost connection, the client keeps a timer for this long, 60 s by default, which keeps the process running.
  const options = { apiKey: key, baseUrl: `${url}/v3`, timeoutInSeconds: 20 };
  const { transactionalEmails } = new BrevoClient(options);
  const mail = { sender: { email: from }, to: [{ email: to }], subject: 'Brevo', textContent: 'Hello' };
  return statusOf(() => transactionalEmails.sendTransacEmail(mail));
};

type SendGrid = {
  setApiKey(key: string): void;
  client: { setDefaultRequest(name: 'baseUrl', url: string): void };
  send(mail: object): Promise<unknown>;
};

const bySendGrid: Send = ({ url, key, to }) => {
  const { MailService } = nodeClient<{ MailService: new () => SendGrid }>('@sendgrid/mail');
  const { Client } = nodeClient<{ Client: new () => SendGrid['client'] }>('@sendgrid/client');
  const service = Object.assign(new MailService(), { client: new Client() });
  service.setApiKey(key);
  service.client.setDefaultRequest('baseUrl', url);
  return statusOf(() => service.send({ from, to, subject: 'SendGrid', text: 'Hello' }));
};

type Postmark = { sendEmail(mail: object): Promise<unknown> };

const byPostmark: Send = ({ url, key, to }) => {
  type Options = { requestHost: string; useHttps: boolean };
  const { ServerClient } = nodeClient<{ ServerClient: new (key: string, options: Options) => Postmark }>(
    'postmark',
  );
  const client = new ServerClient(key, { requestHost: url.replace('http://', ''), useHttps: false });
  return statusOf(() => client.sendEmail({ From: from, To: to, Subject: 'Postmark', TextBody: 'Hello' }));
};

type Mailgun = {
  client(options: object): { messages: { create(domain: string, mail: object): Promise<unknown> } };
};

const byMailgun: Send = ({ url, key, to }) => {
  const { default: Mailgun } = nodeClient<{ default: new (form: unknown) => Mailgun }>('mailgun.js');
  const { messages } = new Mailgun(FormData).client({ username: 'api', key, url });
  return statusOf(() => messages.create('example.com', { from, to, subject: 'Mailgun', text: 'Hello' }));
};

type Resend = { emails: { send(mail: object): Promise<{ error: object | null }> } };

const byResend: Send = ({ url, key, to }) => {
  const { Resend } = nodeClient<{ Resend: new (key: string, options: { baseUrl: string }) => Resend }>(
    'resend',
  );
  const { emails } = new Resend(key, { baseUrl: url });
  return statusOf(async () => {
    const { error } = await emails.send({ from, to, subject: 'Resend', text: 'Hello' });
    if (error !== null) throw error;
  });
};

type Mailjet = { post(resource: string, config: object): { request(body: object): Promise<unknown> } };
type MailjetClass = {
  apiConnect(key: string, secret: string, options: object): Mailjet;
  Request: { protocol: string };
};

const byMailjet: Send = ({ url, key, to }) => {
  const Mailjet = nodeClient<MailjetClass>('node-mailjet');
  Mailjet.Request.protocol = 'http://';
  const client = Mailjet.apiConnect(key, 'any', { config: { host: url.replace('http://', '') } });
  const mail = { From: { Email: from }, To: [{ Email: to }], Subject: 'Mailjet', TextPart: 'Hello' };
  return statusOf(() => client.post('send', { version: 'v3.1' }).request({ Messages: [mail] }));
};

type MailerSend = new (key: string, url: string) => { send(mail: object): Promise<unknown> };
type Setters = Record<`set${string}`, (value: unknown) => Setters>;

const byMailerSend: Send = ({ url, key, to }) => {
  type Named = new (email: string, name: string) => object;
  type Library = { EmailParams: new () => Setters; Sender: Named; Recipient: Named };
  const { EmailParams, Sender, Recipient } = nodeClient<Library>('mailersend');
  const { EmailModule } = nodeClient<{ EmailModule: MailerSend }>('mailersend/lib/modules/Email.module');
  const mail = new EmailParams()
    .setFrom?.(new Sender(from, 'Shop'))
    .setTo?.([new Recipient(to, 'Alice')])
    .setSubject?.('MailerSend')
    .setText?.('Hello');
  return statusOf(() => new EmailModule(key, `${url}/v1`).send(mail ?? {}));
};

/** Official clients by package, with default settings, each with the segment after `/providers/`. */
export const senders = {
  '@aws-sdk/client-sesv2': { provider: 'ses', send: bySes },
  boto3: { provider: 'ses', send: byBoto3 },
  '@getbrevo/brevo': { provider: 'brevo', send: byBrevo },
  '@sendgrid/mail': { provider: 'sendgrid', send: bySendGrid },
  postmark: { provider: 'postmark', send: byPostmark },
  'mailgun.js': { provider: 'mailgun', send: byMailgun },
  resend: { provider: 'resend', send: byResend },
  'node-mailjet': { provider: 'mailjet', send: byMailjet },
  mailersend: { provider: 'mailersend', send: byMailerSend },
} satisfies Record<string, { provider: string; send: Send }>;
