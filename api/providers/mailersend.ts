import type { Draft } from '#core/delivery/compose.ts';
import { addressObject, addressObjects } from './addresses.ts';
import {
  bodiesOf,
  draftOf,
  Filling,
  filesOf,
  messageIdOf,
  type Texts,
  templateSender,
  templateTexts,
} from './drafts.ts';
import { JsonValue } from './json-value.ts';
import type { Provider } from './provider.ts';

const fields = { address: 'email', name: 'name' };
const fileFields = { content: 'content', filename: 'filename', contentId: 'id' };

/** Maximum addresses in `to`, and in `cc` and `bcc` each (MailerSend API reference). */
const mostRecipients = 50;
const mostCopies = 10;

/** Placeholder for a `personalization` value, such as {{ name }} or {{ order.number }}. */
const place = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** MailerSend: https://developers.mailersend.com/api/v1/email.html */
export const mailersend: Provider = {
  name: 'mailersend',
  title: 'MailerSend',
  key: { in: 'bearer' },
  throttled: () => ({ 'X-RateLimit-Remaining': '0' }),
  operations: [
    {
      path: '/v1/email',
      operationId: 'mailersendSend',
      summary: 'Send mail in the MailerSend format',
      success: 202,
      answerType: null,
      read: readMails,
      answer([first]) {
        return { status: 202, body: null, headers: { 'X-Message-Id': messageIdOf(first) } };
      },
    },
  ],
  refuse({ status, detail, violations = [] }) {
    const [first, ...others] = violations;
    if (first === undefined) return { status, body: { message: detail } };
    const errors: Record<string, string[]> = {};
    for (const { field, message } of violations) {
      errors[field] = [...(errors[field] ?? []), `${field}: ${message}`];
    }
    const more = others.length === 1 ? ' (and 1 more error)' : ` (and ${others.length} more errors)`;
    const message = `${first.field}: ${first.message}${others.length === 0 ? '' : more}`;
    return { status, body: { message, errors } };
  },
};

/** Creates one email, or one per recipient if any recipient has its own data. */
function* readMails(body: JsonValue): Generator<Draft> {
  const mail = readMail(body);
  const filling = new Filling();
  const personal = new Map(
    body
      .get('personalization')
      .list()
      .map((item) => [item.get('email').needText().toLowerCase(), item.get('data')]),
  );
  for (const data of personal.values()) data.entries();
  const dataOf = ({ address }: { address: string }) => personal.get(address.toLowerCase());
  if (!mail.to.some(dataOf)) {
    yield draftOf({ ...mail, ...readContent(body, new JsonValue({}), filling) });
    return;
  }
  for (const recipient of mail.to) {
    const data = dataOf(recipient) ?? new JsonValue({});
    yield draftOf({ ...mail, to: [recipient], ...readContent(body, data, filling) });
  }
}

function readMail(body: JsonValue): Omit<Draft, keyof Texts> {
  const from = body.get('from');
  const hasTemplate = !body.get('template_id').isMissing;
  const to = addressObjects(body.get('to').atMost(mostRecipients), fields);
  // If there is no `to`, the addresses in `rcpt_to` are blind copies.
  const hidden = to.length > 0 ? [] : addressObjects(body.get('rcpt_to').atMost(mostRecipients), fields);
  if (to.length === 0 && hidden.length === 0) body.get('to').fail('is required');
  const replyTo = body.get('reply_to');
  return {
    from: from.isMissing && hasTemplate ? templateSender : addressObject(from, fields),
    to,
    cc: addressObjects(body.get('cc').atMost(mostCopies), fields),
    bcc: [...addressObjects(body.get('bcc').atMost(mostCopies), fields), ...hidden],
    replyTo: replyTo.isMissing ? [] : [addressObject(replyTo, fields)],
    headers: readHeaders(body),
    attachments: filesOf(body.get('attachments'), fileFields, isInline),
  };
}

function readHeaders(body: JsonValue): Draft['headers'] {
  const inReplyTo = body.get('in_reply_to').text();
  const references = body
    .get('references')
    .list()
    .map((id) => inBrackets(id.needText()));
  const unsubscribe = body.get('list_unsubscribe').text();
  return [
    ...(inReplyTo ? [{ name: 'In-Reply-To', value: inBrackets(inReplyTo) }] : []),
    ...(references.length > 0 ? [{ name: 'References', value: references.join(' ') }] : []),
    ...(unsubscribe ? [{ name: 'List-Unsubscribe', value: unsubscribe }] : []),
    ...(body.get('precedence_bulk').flag() ? [{ name: 'Precedence', value: 'bulk' }] : []),
    ...body
      .get('headers')
      .list()
      .map((item) => ({ name: item.get('name').needText(), value: item.get('value').text() ?? '' })),
  ];
}

/** Adds a header field's angle brackets to a message id. */
function inBrackets(id: string): string {
  return id.startsWith('<') ? id : `<${id}>`;
}

function readContent(body: JsonValue, data: JsonValue, filling: Filling): Texts {
  const fill = (text: string) => filling.fill(text, place, (name) => data.at(name).value);
  const subject = body.get('subject');
  const template = body.get('template_id').text();
  if (template !== null) return templateTexts(template, data.value, fill(subject.text() || template));
  const text = body.get('text');
  const bodies = bodiesOf(text, body.get('html'), () => text.fail('is required'), fill);
  return { subject: fill(subject.needText()), ...bodies };
}

function isInline(file: JsonValue): boolean {
  const disposition = file.get('disposition');
  const given = disposition.text() ?? 'attachment';
  if (given !== 'inline' && given !== 'attachment') disposition.fail('must be inline or attachment');
  return given === 'inline';
}
