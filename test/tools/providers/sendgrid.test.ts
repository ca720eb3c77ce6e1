import {
  nodeClient,
  runPython,
  withoutNodeClients,
  withoutPythonClients,
} from '#test/support/clients/provider-clients.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

const people = (list: Mail['to']) => list.map(({ name, address }) => ({ email: address, name }));

/** Message in the fields of SendGrid's own API. */
function bodyOf(mail: Mail) {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = mail;
  return {
    personalizations: [{ to: people(to), cc: people(cc), bcc: people(bcc), subject, headers }],
    from: people([from])[0],
    ...(replyTo && { reply_to: people([replyTo])[0] }),
    content: [
      ...(text === null ? [] : [{ type: 'text/plain', value: text }]),
      ...(html === null ? [] : [{ type: 'text/html', value: html }]),
    ],
    attachments: attachments.map(({ filename, contentType, content, contentId }) => ({
      content,
      filename,
      type: contentType,
      ...(contentId === null ? {} : { disposition: 'inline', content_id: contentId }),
    })),
  };
}

type MailService = {
  setApiKey(key: string): void;
  client: { setDefaultRequest(name: 'baseUrl', url: string): void };
  send(message: object): Promise<[{ headers: Record<string, string> }]>;
};

function open({ url, key }: Access): MailService {
  const { MailService } = nodeClient<{ MailService: new () => MailService }>('@sendgrid/mail');
  const { Client } = nodeClient<{ Client: new () => MailService['client'] }>('@sendgrid/client');
  const service = Object.assign(new MailService(), { client: new Client() });
  service.setApiKey(key);
  service.client.setDefaultRequest('baseUrl', url);
  return service;
}

const byNode: Client = {
  name: 'sendgrid by @sendgrid/mail',
  provider: 'sendgrid',
  skip: withoutNodeClients,
  async send(access, mail) {
    // The client's class uses its own names for personalizations.
    const { from, to, cc, bcc, replyTo, subject, text, html, headers } = mail;
    const { attachments } = bodyOf(mail);
    const [{ headers: answered }] = await open(access).send({
      from: people([from])[0],
      to: people(to),
      cc: people(cc),
      bcc: people(bcc),
      ...(replyTo && { replyTo: people([replyTo])[0] }),
      subject,
      ...(text === null ? {} : { text }),
      ...(html === null ? {} : { html }),
      headers,
      attachments,
    });
    return answered['x-message-id'] ?? null;
  },
  async sendBatch(access, mails) {
    // One request whose personalizations differ. The client puts braces around substitution names.
    const [first, second] = mails;
    return open(access).send({
      from: people([first.from])[0],
      content: [{ type: 'text/plain', value: '{{text}}' }],
      personalizations: [first, second].map(({ to, subject, text }) => ({
        to: people(to),
        subject,
        substitutions: { text },
      })),
    });
  },
  sendTemplate(access, { from, to }, template, data) {
    return open(access).send({
      from: people([from])[0],
      to: people(to),
      templateId: template,
      dynamicTemplateData: data,
    });
  },
  failure(error) {
    const { code, response } = error as {
      code: number;
      response: { body: { errors: { message: string }[] } };
    };
    return { status: code, message: response.body.errors.map(({ message }) => message).join() };
  },
  statuses: { wrongKey: 401, invalid: 400 },
};

const script = `
import json, sys
from sendgrid import SendGridAPIClient
from python_http_client.exceptions import HTTPError
given = json.load(sys.stdin)
client = SendGridAPIClient(given['key'], host=given['url'])
try:
    print(client.send(given['body']).headers.get('X-Message-Id'))
except HTTPError as error:
    sys.exit(json.dumps({'status': error.status_code, 'message': error.body.decode()}))
`;

const byPython: Client = {
  ...byNode,
  name: 'sendgrid by PyPI’s sendgrid',
  skip: withoutPythonClients,
  async send({ url, key }, mail) {
    return (await runPython(script, { url, key, body: bodyOf(mail) })).trim();
  },
  sendBatch: ({ url, key }, [first, second]) =>
    runPython(script, {
      url,
      key,
      body: {
        ...bodyOf(first),
        content: [{ type: 'text/plain', value: '-text-' }],
        personalizations: [first, second].map(({ to, subject, text }) => ({
          to: people(to),
          subject,
          substitutions: { '-text-': text },
        })),
      },
    }),
  sendTemplate: ({ url, key }, { from, to }, template, data) => {
    const personalizations = [{ to: people(to), dynamic_template_data: data }];
    return runPython(script, {
      url,
      key,
      body: { from: people([from])[0], template_id: template, personalizations },
    });
  },
  failure: (error) => JSON.parse((error as Error).message),
};

for (const client of [byNode, byPython]) providerSuite(client);
