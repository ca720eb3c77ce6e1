import type { Json } from '#test/support/clients/http.ts';
import { nodeClient, withoutNodeClients } from '#test/support/clients/provider-clients.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

const person = ({ name, address }: Mail['from']) => ({ Email: address, ...(name && { Name: name }) });

/** Message in the fields of Mailjet's own API. */
function messageOf(mail: Mail) {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = mail;
  const files = (isInline: boolean) =>
    attachments
      .filter(({ contentId }) => (contentId !== null) === isInline)
      .map(({ filename, contentType, content, contentId }) => ({
        Filename: filename,
        ContentType: contentType,
        Base64Content: content,
        ...(contentId === null ? {} : { ContentID: contentId }),
      }));
  return {
    From: person(from),
    To: to.map(person),
    Cc: cc.map(person),
    Bcc: bcc.map(person),
    ...(replyTo && { ReplyTo: person(replyTo) }),
    Subject: subject,
    ...(text === null ? {} : { TextPart: text }),
    ...(html === null ? {} : { HTMLPart: html }),
    Headers: headers,
    Attachments: files(false),
    InlinedAttachments: files(true),
  };
}

type Mailjet = {
  post(resource: 'send', config: { version: 'v3.1' }): { request(body: object): Promise<{ body: Json }> };
};
type MailjetClass = {
  apiConnect(key: string, secret: string, options: { config: { host: string } }): Mailjet;
  Request: { protocol: string };
};

/** Sends with the client. Its option `host` may contain a path. HTTP without TLS has no option, only this public static property. */
async function send({ url, key }: Access, body: object): Promise<Json> {
  const Mailjet = nodeClient<MailjetClass>('node-mailjet');
  Mailjet.Request.protocol = 'http://';
  const host = url.replace('http://', '');
  const client = Mailjet.apiConnect(key, 'any secret', { config: { host } });
  return (await client.post('send', { version: 'v3.1' }).request(body)).body;
}

const byNode: Client = {
  name: 'mailjet by node-mailjet',
  provider: 'mailjet',
  skip: withoutNodeClients,
  async send(access, mail) {
    const { Messages } = await send(access, { Messages: [messageOf(mail)] });
    return Messages[0].To[0].MessageUUID;
  },
  sendBatch: (access, mails) => send(access, { Messages: mails.map(messageOf) }),
  sendTemplate(access, { from, to }, template, data) {
    const message = { From: person(from), To: to.map(person), TemplateID: template, Variables: data };
    return send(access, { Messages: [{ ...message, TemplateLanguage: true }] });
  },
  failure(error) {
    const { statusCode, message } = error as { statusCode: number; message: string };
    return { status: statusCode, message };
  },
  statuses: { wrongKey: 401, invalid: 400 },
};

providerSuite(byNode);
