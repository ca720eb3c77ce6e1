import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { nodeClient, withoutNodeClients } from '#test/support/clients/provider-clients.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

const domain = 'example.com';

const people = (list: Mail['to']) =>
  list.map(({ name, address }) => (name === '' ? address : `"${name}" <${address}>`));

type Messages = { create(domain: string, data: object): Promise<{ id: string; message: string }> };
type Mailgun = { client(options: object): { messages: Messages } };

/** Opens the client with a class for forms: Node's own, or the one from the package form-data, which its manual uses. */
function open({ url, key }: Access, form: unknown): Messages {
  const { default: Mailgun } = nodeClient<{ default: new (form: unknown) => Mailgun }>('mailgun.js');
  return new Mailgun(form).client({ username: 'api', key, url }).messages;
}

function clientWith(form: () => unknown, name: string): Client {
  return {
    name: `mailgun by mailgun.js and ${name}`,
    provider: 'mailgun',
    skip: withoutNodeClients,
    async send(access, mail) {
      const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = mail;
      const files = (inline: boolean) =>
        attachments
          .filter(({ contentId }) => (contentId !== null) === inline)
          .map(({ filename, contentType, content, contentId }) => {
            const bytes = Buffer.from(content, 'base64');
            // Node's own forms determine the media type from a Blob.
            const data = form() === FormData ? new Blob([bytes], { type: contentType }) : bytes;
            return { data, filename: contentId ?? filename, contentType };
          });
      const { id } = await open(access, form()).create(domain, {
        from: people([from])[0],
        to: people(to),
        cc: people(cc),
        bcc: people(bcc),
        subject,
        text,
        html,
        ...(replyTo && { 'h:Reply-To': people([replyTo])[0] }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [`h:${name}`, value])),
        attachment: files(false),
        inline: files(true),
      });
      return id;
    },
    sendBatch(access, mails) {
      const variables = mails.map(({ to, subject, text }) => [to[0]?.address, { subject, text }]);
      return open(access, form()).create(domain, {
        from: 'shop@example.com',
        to: mails.flatMap(({ to }) => people(to)),
        subject: '%recipient.subject%',
        text: '%recipient.text%',
        'recipient-variables': JSON.stringify(Object.fromEntries(variables)),
      });
    },
    sendTemplate: (access, { from, to }, template, data) =>
      open(access, form()).create(domain, {
        from: people([from])[0],
        to: people(to),
        template,
        't:variables': JSON.stringify(data),
      }),
    failure(error) {
      const { status, details } = error as { status: number; details: string };
      return { status, message: details };
    },
    statuses: { wrongKey: 401, invalid: 400 },
  };
}

providerSuite(clientWith(() => FormData, 'Node’s forms'));
providerSuite(clientWith(() => nodeClient('form-data'), 'form-data'));

test('mailgun: a message in MIME form by mailgun.js', { skip: withoutNodeClients }, async (t) => {
  const { program, user, stop } = await startMailProgram();
  t.after(stop);
  const access = { url: `${program.baseUrl}/providers/mailgun`, key: user.key };
  for (const form of [FormData, nodeClient('form-data')]) {
    for (const make of [(text: string) => text, Buffer.from]) {
      const subject = `Subject ${randomBytes(6).toString('hex')}`;
      const message = make(`From: shop@example.com\r\nSubject: ${subject}\r\n\r\nHello\r\n`);
      await open(access, form).create(domain, { to: user.address, message });
      const query = `subject=${encodeURIComponent(subject)}&wait=10`;
      assert.equal((await ok(user.api.get(`/api/messages?${query}`))).items.length, 1);
    }
  }
});
