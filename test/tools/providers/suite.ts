import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';

type Person = { name: string; address: string };

/** Email as an application hands it to a provider's client. */
export type Mail = {
  from: Person;
  to: Person[];
  cc: Person[];
  bcc: Person[];
  replyTo: Person | null;
  subject: string;
  text: string | null;
  html: string | null;
  headers: Record<string, string>;
  attachments: File[];
};
/** `content` is base64. `contentId` belongs to an image in the HTML, or is null. */
type File = { filename: string; contentType: string; content: string; contentId: string | null };

/** Client settings: its provider's base URL here, and an API key. */
export type Access = { url: string; key: string };

/** Use of a provider through its official client, unchanged except for the base URL. */
export type Client = {
  /** Name in the tests, such as `sendgrid by @sendgrid/mail`. */
  name: string;
  /** Segment after `/providers/`. */
  provider: string;
  /** Reason why the client cannot be used here, or false. */
  skip: string | false;
  /** Sends an email. Returns the part of the response that identifies the message, or null. */
  send(access: Access, mail: Mail): Promise<string | null>;
  /** Sends two emails in one request. */
  sendBatch?(access: Access, mails: [Mail, Mail]): Promise<unknown>;
  /** Sends with a template that is stored at the provider. */
  sendTemplate?(access: Access, mail: Mail, template: string, data: Record<string, string>): Promise<unknown>;
  /** Returns the HTTP status and the sentence that the client reports for a failed call. */
  failure(error: unknown): { status: number | null; message: string };
  /** Status of a request with a wrong key, and of an invalid request. */
  statuses: { wrongKey: number; invalid: number };
  /** Email parts that the provider's format has no place for. */
  lacks?: ('inline images' | 'names of recipients' | 'cc and bcc' | 'custom headers')[];
};

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const person = (address: string, name = ''): Person => ({ name, address });

function mailOf(given: Partial<Mail>): Mail {
  return {
    from: person('shop@example.com', 'Shop & Söhne'),
    to: [person('alice@gmail.com', 'Alice Ärger')],
    cc: [],
    bcc: [],
    replyTo: null,
    subject: `Welcome ${randomBytes(6).toString('hex')} – Grüße`,
    text: 'Your code is 493817.\nGrüße aus Köln',
    html: null,
    headers: {},
    attachments: [],
    ...given,
  };
}

/** Compares what arrives with what an official client was given: everything that an application can put into an email. */
export function providerSuite(client: Client): void {
  const { skip, provider, name, lacks = [] } = client;
  let mail: MailProgram;
  let access: Access;
  before(async () => {
    if (skip) return;
    mail = await startMailProgram();
    const address = `inbox@${mail.user.domain.domain}`;
    await ok(mail.user.api.post('/api/accounts', { address, is_capture: true }));
    access = { url: `${mail.program.baseUrl}/providers/${provider}`, key: mail.user.key };
  });
  after(() => mail?.stop());

  /** Waits for the only message with a subject. */
  const arrived = async (subject: string): Promise<Json> => {
    const query = `subject=${encodeURIComponent(subject)}&wait=10`;
    const { items } = await ok(mail.user.api.get(`/api/messages?${query}`));
    assert.equal(items.length, 1, `messages with the subject ${subject}`);
    return ok(mail.user.api.get(`/api/messages/${items[0].id}`));
  };
  const sent = async (given: Partial<Mail>) => {
    const whole = mailOf(given);
    const id = await client.send(access, whole);
    return { whole, id, message: await arrived(whole.subject) };
  };
  const people = (list: Person[]) =>
    lacks.includes('names of recipients') ? list.map(({ address }) => person(address)) : list;
  const check = (what: string, run: () => Promise<void>) => test(`${name}: ${what}`, { skip }, run);

  check('plain text, names and letters of any language', async () => {
    const { whole, message, id } = await sent({ replyTo: person('help@example.com', 'Help') });
    assert.equal(message.subject, whole.subject);
    assert.deepEqual(message.from, whole.from);
    assert.deepEqual(message.to, people(whole.to));
    assert.equal(message.reply_to[0]?.address, 'help@example.com');
    assert.equal(message.text.replaceAll('\r\n', '\n').trimEnd(), whole.text);
    assert.equal(message.html, null);
    assert.deepEqual(message.envelope.rcpt_to, ['alice@gmail.com']);
    assert.equal(message.envelope.mail_from, 'shop@example.com');
    assert.deepEqual(message.envelope.authenticated_as, { kind: 'api_key', name: 'tests' });
    assert.deepEqual(
      message.codes.map(({ value }: { value: string }) => value),
      ['493817'],
    );
    if (id !== null) assert.ok(message.msgid.includes(id.replace(/^<|>$/g, '')), `${message.msgid}, ${id}`);
  });

  check('the request that it came by is shown without the key', async () => {
    const { whole, message } = await sent({ subject: `Shown ${randomBytes(6).toString('hex')}` });
    assert.equal(message.submission.provider, provider);
    assert.match(message.submission.request, /^POST \//);
    assert.ok(message.submission.request.includes(whole.subject.slice(-12)));
    assert.ok(!JSON.stringify(message).includes(access.key));
    assert.ok(!message.submission.request.includes(Buffer.from(access.key).toString('base64').slice(4, 40)));
  });

  check('HTML beside text, and HTML alone', async () => {
    const html = '<h1>Grüße</h1>\n<p><a href="https://shop.example/verify?t=1&u=2">Verify</a></p>';
    const both = await sent({ html });
    assert.equal(both.message.html.replaceAll('\r\n', '\n').trimEnd(), html);
    assert.equal(both.message.text.replaceAll('\r\n', '\n').trimEnd(), both.whole.text);
    assert.equal(both.message.links[0].url, 'https://shop.example/verify?t=1&u=2');
    const alone = await sent({ html, text: null });
    assert.equal(alone.message.html.replaceAll('\r\n', '\n').trimEnd(), html);
  });

  check('attachments come back byte by byte', async () => {
    const bytes = randomBytes(70_000);
    const content = bytes.toString('base64');
    const file = { filename: 'Rechnung März.pdf', contentType: 'application/pdf', content, contentId: null };
    const { message } = await sent({ attachments: [file] });
    assert.equal(message.attachments.length, 1);
    const [attachment] = message.attachments;
    assert.equal(attachment.filename, file.filename);
    assert.equal(attachment.content_type, file.contentType);
    const { body } = await mail.user.api.get(`/api/messages/${message.id}/attachments/${attachment.id}`);
    assert.deepEqual(body, bytes);
  });

  if (!lacks.includes('inline images')) {
    check('an image is shown within the HTML', async () => {
      const content = png.toString('base64');
      const file = { filename: 'logo.png', contentType: 'image/png', content, contentId: 'logo' };
      const { message } = await sent({ html: '<img src="cid:logo">', attachments: [file] });
      const [image] = message.attachments;
      assert.equal(image.disposition, 'inline');
      assert.equal(image.content_id.replace(/^<|>$/g, ''), 'logo');
    });
  }

  if (!lacks.includes('cc and bcc')) {
    check('cc is written, bcc is not, and all of them are recipients', async () => {
      const { message } = await sent({
        to: [person('alice@gmail.com'), person(mail.user.address)],
        cc: [person('bob@gmail.com', 'Bob')],
        bcc: [person('carol@gmail.com')],
      }).catch(async (error) => {
        // The user's own account and the capture account each have a message.
        if (!/messages with the subject/.test(String(error))) throw error;
        const { items } = await ok(mail.user.api.get('/api/messages?limit=2'));
        return { message: await ok(mail.user.api.get(`/api/messages/${items[0].id}`)) };
      });
      assert.deepEqual(message.cc, people([person('bob@gmail.com', 'Bob')]));
      assert.deepEqual(message.bcc, []);
      assert.deepEqual(
        [...message.envelope.rcpt_to].sort(),
        ['alice@gmail.com', 'bob@gmail.com', 'carol@gmail.com', mail.user.address].sort(),
      );
      const { body } = await mail.user.api.get(`/api/messages/${message.id}/raw`);
      assert.doesNotMatch(body.toString(), /carol/);
    });
  }

  if (!lacks.includes('custom headers')) {
    check('a header field of the sender is kept', async () => {
      const { message } = await sent({ headers: { 'X-Order-Id': 'A-4711' } });
      const field = message.headers.find(({ name: field }: { name: string }) => /^x-order-id$/i.test(field));
      assert.equal(field?.value, 'A-4711');
    });
  }

  const { sendBatch, sendTemplate } = client;
  if (sendBatch) {
    check('a batch makes a message of each mail', async () => {
      const mails: [Mail, Mail] = [
        mailOf({ to: [person('first@gmail.com')], text: 'first' }),
        mailOf({ to: [person('second@gmail.com')], text: 'second' }),
      ];
      await sendBatch(access, mails);
      for (const { to, subject, text } of mails) {
        const message = await arrived(subject);
        assert.deepEqual(message.envelope.rcpt_to, [to[0]?.address]);
        assert.equal(message.text.trimEnd(), text);
      }
    });
  }

  if (sendTemplate) {
    check('a stored template makes a message of its name and its data', async () => {
      // SendGrid's client recognizes templates with data by their first letters.
      const template = `d-welcome-${randomBytes(4).toString('hex')}`;
      const data = { name: 'Ada', code: '493817' };
      await sendTemplate(access, mailOf({}), template, data);
      const { items } = await ok(mail.user.api.get(`/api/messages?q=${template}&wait=10`));
      const message = await ok(mail.user.api.get(`/api/messages/${items[0].id}`));
      assert.ok(message.text.includes(template));
      assert.ok(message.text.includes(JSON.stringify(data)), message.text);
      assert.deepEqual(message.envelope.rcpt_to, ['alice@gmail.com']);
    });
  }

  const failureOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail('the call succeeded'),
      (thrown: unknown) => thrown,
    );
    return client.failure(error);
  };

  check('a wrong key is told by the client as its provider tells it', async () => {
    const key = `sp_${'A'.repeat(43)}`;
    const { status, message } = await failureOf(client.send({ ...access, key }, mailOf({})));
    assert.equal(status, client.statuses.wrongKey);
    assert.notEqual(message, '');
  });

  check('an invalid request is told by the client, and nothing is stored', async () => {
    const whole = mailOf({ to: [person('not an address')] });
    const { status, message } = await failureOf(client.send(access, whole));
    assert.equal(status, client.statuses.invalid);
    assert.match(message, /not an address/);
    const { items } = await ok(
      mail.user.api.get(`/api/messages?subject=${encodeURIComponent(whole.subject)}`),
    );
    assert.deepEqual(items, []);
  });
}
