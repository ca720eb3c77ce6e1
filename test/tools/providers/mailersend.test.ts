import assert from 'node:assert/strict';
import { nodeClient, withoutNodeClients } from '#test/support/clients/provider-clients.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

type Sent = { headers: Record<string, string>; statusCode: number };
type Email = { send(params: object): Promise<Sent> };
type Named = new (email: string, name: string) => object;
type Setters = Record<`set${string}`, (value: unknown) => Setters>;
type Library = {
  MailerSend: new (config: { apiKey: string }) => { email: Email };
  EmailParams: new () => Setters;
  Sender: Named;
  Recipient: Named;
  Attachment: new (content: string, filename: string, disposition: string, id?: string) => object;
};

/** Opens the client. Its class has no option for the base URL, but its email module's class does. */
function open({ url, key }: Access): Email {
  const { MailerSend } = nodeClient<Library>('mailersend');
  const { EmailModule } = nodeClient<{ EmailModule: new (key: string, url: string) => Email }>(
    'mailersend/lib/modules/Email.module',
  );
  const client = new MailerSend({ apiKey: key });
  client.email = new EmailModule(key, `${url}/v1`);
  return client.email;
}

function paramsOf({ from, to, cc, bcc, replyTo, subject, text, html, headers, attachments }: Mail): Setters {
  const { EmailParams, Sender, Recipient, Attachment } = nodeClient<Library>('mailersend');
  const people = (list: Mail['to']) => list.map(({ address, name }) => new Recipient(address, name));
  const params = new EmailParams()
    .setFrom?.(new Sender(from.address, from.name))
    .setTo?.(people(to))
    .setCc?.(people(cc))
    .setBcc?.(people(bcc))
    .setSubject?.(subject)
    .setHeaders?.(Object.entries(headers).map(([name, value]) => ({ name, value })))
    .setAttachments?.(
      attachments.map(({ content, filename, contentId }) =>
        contentId === null
          ? new Attachment(content, filename, 'attachment')
          : new Attachment(content, filename, 'inline', contentId),
      ),
    );
  assert.ok(params);
  if (replyTo) params.setReplyTo?.(new Recipient(replyTo.address, replyTo.name));
  if (text !== null) params.setText?.(text);
  if (html !== null) params.setHtml?.(html);
  return params;
}

providerSuite({
  name: 'mailersend by mailersend',
  provider: 'mailersend',
  skip: withoutNodeClients,
  async send(access, mail) {
    const { headers, statusCode } = await open(access).send(paramsOf(mail));
    assert.equal(statusCode, 202);
    return headers['x-message-id'] ?? null;
  },
  sendBatch(access, [first, second]) {
    // One request whose emails differ by their recipients' data.
    const params = paramsOf({
      ...first,
      to: [...first.to, ...second.to],
      subject: '{{ subject }}',
      text: '{{text}}',
    });
    const personalization = [first, second].map(({ to, subject, text }) => ({
      email: to[0]?.address,
      data: { subject, text },
    }));
    params.setPersonalization?.(personalization);
    return open(access).send(params);
  },
  sendTemplate(access, mail, template, data) {
    const params = paramsOf({ ...mail, subject: '', text: null });
    params.setTemplateId?.(template);
    params.setPersonalization?.([{ email: mail.to[0]?.address, data }]);
    return open(access).send(params);
  },
  failure(error) {
    const { statusCode, body } = error as { statusCode: number; body: { message: string } };
    return { status: statusCode, message: body.message };
  },
  statuses: { wrongKey: 401, invalid: 422 },
} satisfies Client);
