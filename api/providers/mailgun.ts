import type { Draft, DraftAttachment, RawDraft } from '#core/delivery/compose.ts';
import { Invalid, invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import { addressList, namedAddress, oneAddress, senderOf } from './addresses.ts';
import { draftOf, Filling, fileOf, messageIdOf, type Texts, templateTexts } from './drafts.ts';
import type { Form, FormFile } from './form.ts';
import type { JsonValue } from './json-value.ts';
import type { Operation, Provider } from './provider.ts';

/** Maximum recipients in a batch, from https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/batch-sending. */
const mostRecipients = 1000;

/** Name of the form field and of the header field that carry variables as JSON. */
const variablesField = 'X-Mailgun-Variables';

const queued = {
  body: 'form',
  answer(outcomes) {
    return { status: 200, body: { id: `<${messageIdOf(outcomes[0])}>`, message: 'Queued. Thank you.' } };
  },
} satisfies Partial<Operation>;

/** Mailgun, Messages API: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages */
export const mailgun: Provider = {
  name: 'mailgun',
  title: 'Mailgun',
  key: { in: 'basic', part: 'password' },
  errorTypes: ['application/json', 'text/plain'],
  operations: [
    {
      ...queued,
      path: '/v3/{domain}/messages',
      operationId: 'mailgunSend',
      summary: 'Send mail in the Mailgun format',
      read: readMails,
    },
    {
      ...queued,
      path: '/v3/{domain}/messages.mime',
      operationId: 'mailgunSendMime',
      summary: 'Send a MIME message in the Mailgun format',
      read: readRawMails,
    },
  ],
  refuse({ status, detail, violations = [] }) {
    // Mailgun responds to a wrong key with this word as plain text.
    if (status === 401) {
      const headers = { 'WWW-Authenticate': 'Basic realm="MG API"' };
      return { status, body: `Forbidden: ${detail}`, headers };
    }
    const faults = violations.map(({ field, message }) => `'${field}' parameter ${message}`);
    return { status: status === 422 ? 400 : status, body: { message: faults.join('; ') || detail } };
  },
};

/** Recipients of one email. `variables` are the recipient's, if the email has only one recipient. */
type Mailing = { to: NamedAddress[]; variables: JsonValue | null };

function readMailings(form: Form): Mailing[] {
  const to = addresses(form, 'to');
  if (to.length === 0) throw invalid('to', 'is missing');
  if (to.length > mostRecipients) throw invalid('to', `may have at most ${mostRecipients} recipients`);
  const given = form.json('recipient-variables');
  if (given.isMissing) return [{ to, variables: null }];
  const variables = new Map(given.entries().map(([address, own]) => [address.toLowerCase(), own]));
  return to.map((person) => ({
    to: [person],
    variables: variables.get(person.address.toLowerCase()) ?? null,
  }));
}

/** Reads a field's addresses. The field may occur several times. Ignores repeated addresses, as Mailgun does. */
function addresses(form: Form, name: string): NamedAddress[] {
  const texts = form.all(name);
  const most = limits.submissions.addressBytes;
  if (texts.join().length > most) throw invalid(name, `may have at most ${most} characters`);
  const all = texts.flatMap((text) => checked(name, () => addressList(name, text)));
  return [...new Map(all.map((person) => [person.address.toLowerCase(), person])).values()];
}

/** Runs `read`, which reads addresses. Reports the first error in the words that Mailgun's clients look for. Throws Invalid. */
function checked<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const why = error.violations[0]?.message;
    throw invalid(name, `is not a valid address. please check documentation: ${why}`, ...error.limits);
  }
}

function* readMails(form: Form, { domain = '' }: Record<string, string>): Generator<Draft> {
  const template = form.text('template') || null;
  const from = readFrom(form, template === null ? null : domain);
  const content = readContent(form, template);
  const headers = readHeaders(form);
  const shared = { from, cc: addresses(form, 'cc'), bcc: addresses(form, 'bcc'), attachments: files(form) };
  const filling = new Filling();
  for (const { to, variables } of readMailings(form)) {
    const fill = (text: string) => filled(text, variables, filling, String);
    yield draftOf({
      ...shared,
      to,
      subject: fill(content.subject),
      text: content.text && fill(content.text),
      html: content.html && fill(content.html),
      headers: headers.map(({ name, value }) => ({ name, value: fill(value) })),
    });
  }
}

/** Reads the sender. A template may have its own sender: without `from`, the sender is then postmaster at `domain`. */
function readFrom(form: Form, domain: string | null): NamedAddress {
  const from = form.text('from');
  if (from) return checked('from', () => oneAddress('from', from));
  if (domain === null) throw invalid('from', 'is missing');
  return namedAddress('from', `postmaster@${domain}`, null);
}

function readContent(form: Form, template: string | null): Texts {
  const subject = form.text('subject') ?? '';
  if (template !== null) {
    const data = { ...variablesOf(form), ...fieldsOf(form.json('t:variables')) };
    return templateTexts(template, data, subject);
  }
  const [text, html] = [form.text('text') || null, form.text('html') || null];
  if (text === null && html === null)
    throw invalid(
      'text',
      "is missing: Need at least one of 'text', 'html' or 'template' parameters specified",
    );
  return { subject, text, html };
}

/** Reads the `h:…` header fields, and creates the header field for the `v:…` variables. */
function readHeaders(form: Form): Draft['headers'] {
  const given = prefixed(form, 'h:').filter(({ name }) => name !== variablesField);
  const variables = variablesOf(form);
  if (Object.keys(variables).length === 0) return given;
  return [...given, { name: variablesField, value: JSON.stringify(variables) }];
}

function variablesOf(form: Form): Record<string, unknown> {
  const own = prefixed(form, 'v:').map(({ name, value }) => [name, value]);
  return { ...fieldsOf(form.json(`h:${variablesField}`)), ...Object.fromEntries(own) };
}

function fieldsOf(value: JsonValue): Record<string, unknown> {
  return Object.fromEntries(value.entries().map(([name, field]) => [name, field.value ?? null]));
}

function prefixed(form: Form, prefix: string): { name: string; value: string }[] {
  return form.texts
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => ({ name: name.slice(prefix.length), value }));
}

/** Reads the files. HTML refers to an inline file by its name (`cid:logo.png`). */
function files(form: Form): DraftAttachment[] {
  const all = (name: string, idOf: (file: FormFile) => string | null) => {
    if (form.text(name)) throw invalid(name, 'must be a multipart/form-data file');
    return form.files(name).map((file) => {
      const { bytes, filename, contentType } = file;
      return fileOf(name, bytes, {
        filename: filename || null,
        contentType: contentType || null,
        contentId: idOf(file),
      });
    });
  };
  return [...all('attachment', () => null), ...all('inline', ({ filename }) => filename)];
}

/** Fills in a recipient's variables: `%recipient.name%`. Leaves variables without a value unchanged. */
function filled(
  text: string,
  variables: JsonValue | null,
  filling: Filling,
  write: (value: unknown) => string,
): string {
  if (variables === null) return text;
  return filling.fill(text, /%recipient\.([^%\r\n]{1,200})%/g, (name) => {
    const { value } = variables.get(name);
    return typeof value === 'object' || value === undefined ? undefined : write(value);
  });
}

function* readRawMails(form: Form): Generator<RawDraft> {
  const [file] = form.files('message');
  const raw = file?.bytes ?? Buffer.from(form.text('message') ?? '');
  if (raw.length === 0) throw invalid('message', 'is missing');
  const { address: mailFrom } = senderOf('message', raw);
  const text = Buffer.from(raw).toString('latin1');
  // Values are inserted as UTF-8 bytes, among bytes in any encoding.
  const write = (value: unknown) => {
    if (/[\r\n]/.test(String(value))) throw invalid('recipient-variables', 'must not contain line breaks');
    return Buffer.from(String(value)).toString('latin1');
  };
  const filling = new Filling();
  for (const { to, variables } of readMailings(form)) {
    const recipients = to.map(({ address }) => address);
    const filledText = filled(text, variables, filling, write);
    const bytes = filledText === text ? raw : Buffer.from(filledText, 'latin1');
    yield { raw: bytes, mailFrom, recipients };
  }
}
