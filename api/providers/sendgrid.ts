import type { Draft, DraftAttachment } from '#core/delivery/compose.ts';
import { addressObject, addressObjects } from './addresses.ts';
import { draftOf, Filling, fileOf, filesOf, messageIdOf, type Texts, templateTexts } from './drafts.ts';
import type { JsonValue } from './json-value.ts';
import type { Provider } from './provider.ts';
import { localPartAt } from './test-addresses.ts';

const fields = { address: 'email', name: 'name' };
const fileFields = {
  content: 'content',
  filename: 'filename',
  contentType: 'type',
  contentId: 'content_id',
};
const isInline = (file: JsonValue) => file.get('disposition').text() === 'inline';

/** Maximum personalizations in a request, for `POST /v3/mail/send` (SendGrid API reference). */
const mostPersonalizations = 1000;
const mostSubstitutionCharacters = 10_000;
/** Longer tags would be compared repeatedly at each position in the text. */
const mostTagCharacters = 200;

const repeated = 'Each email address in the personalization block should be unique';
const recipientErrors =
  'http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html#message.recipient-errors';
const withoutTo =
  'The to array is required for all personalization objects, and must have at least one email object with a valid email address.';
/** SendGrid's own sentences, which already name the field or need no field. */
const sentences = /^(?:Each email address|The to array) /;

/** Twilio SendGrid, Web API v3: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
export const sendgrid: Provider = {
  name: 'sendgrid',
  title: 'SendGrid',
  key: { in: 'bearer' },
  // https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits
  throttled: (seconds) => ({
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000) + seconds),
  }),
  testAddress: (address) => (localPartAt('sink.sendgrid.net', address) === null ? null : 'dropped'),
  operations: [
    {
      path: '/v3/mail/send',
      operationId: 'sendgridSend',
      summary: 'Send mail in the SendGrid format',
      success: 202,
      answerType: null,
      read: readMails,
      answer(outcomes) {
        return { status: 202, body: null, headers: { 'X-Message-Id': messageIdOf(outcomes[0]) } };
      },
    },
  ],
  refuse({ status, detail, violations = [] }) {
    const faults = violations.length > 0 ? violations : [{ field: null, message: detail }];
    const errors = faults.map(({ field, message }) => ({
      message: field === null || sentences.test(message) ? message : `${field}: ${message}`,
      field,
      help: message.startsWith(repeated) ? recipientErrors : null,
    }));
    return { status: status === 422 ? 400 : status, body: { errors } };
  },
};

/** Creates an email from each personalization. */
function* readMails(body: JsonValue): Generator<Draft> {
  const personalizations = body.get('personalizations').atMost(mostPersonalizations).needList();
  const attachments = [...otherContents(body), ...filesOf(body.get('attachments'), fileFields, isInline)];
  const filling = new Filling();
  for (const personalization of personalizations) {
    checkRecipients(personalization);
    yield draftOf({ ...readMail(body, personalization, filling), attachments });
  }
}

/** Throws Invalid for a personalization without recipients, or with a repeated one, regardless of case. */
function checkRecipients(personalization: JsonValue): void {
  const known = new Set<unknown>();
  const to = personalization.get('to');
  if (to.list().length === 0) to.fail(withoutTo);
  for (const field of ['to', 'cc', 'bcc'].map((name) => personalization.get(name))) {
    for (const address of field.list().map((item) => item.get('email').text())) {
      const found = address?.trim().toLowerCase();
      if (found !== undefined && known.has(found)) {
        const where = `We found the first duplicate instance of [${address}] in the ${field.path} field.`;
        personalization.fail(`${repeated} between to, cc, and bcc. ${where}`);
      }
      known.add(found);
    }
  }
}

function readMail(body: JsonValue, own: JsonValue, filling: Filling): Omit<Draft, 'attachments'> {
  const either = (name: string) => (own.get(name).isMissing ? body.get(name) : own.get(name));
  const headers = new Map([...body.get('headers').entries(), ...own.get('headers').entries()]);
  const fill = substitution(own, filling);
  const replyTo = body.get('reply_to');
  return {
    from: addressObject(either('from'), fields),
    to: addressObjects(own.get('to'), fields),
    cc: addressObjects(own.get('cc'), fields),
    bcc: addressObjects(own.get('bcc'), fields),
    replyTo: replyTo.isMissing
      ? addressObjects(body.get('reply_to_list'), fields)
      : [addressObject(replyTo, fields)],
    headers: [...headers].map(([name, value]) => ({ name, value: fill(value.text() ?? '') })),
    ...readContent(body, own, either('subject').text() ?? '', fill),
  };
}

function readContent(
  body: JsonValue,
  own: JsonValue,
  subject: string,
  fill: (text: string) => string,
): Texts {
  const template = body.get('template_id').text();
  if (template !== null) {
    const data = own.get('dynamic_template_data').value ?? own.get('substitutions').value;
    return templateTexts(template, data, subject);
  }
  if (subject === '') body.get('subject').fail('is required');
  const contents = body
    .get('content')
    .needList()
    .map((item) => ({
      type: item.get('type').needText().toLowerCase().split(';')[0]?.trim(),
      value: fill(item.get('value').needText()),
    }));
  const ofType = (type: string) => contents.find((content) => content.type === type)?.value ?? null;
  const [text, html] = [ofType('text/plain'), ofType('text/html')];
  if (text === null && html === null) body.get('content').fail('must include text/plain or text/html');
  return { subject: fill(subject), text, html };
}

/**
 * Reads the contents that are neither text nor HTML, such as an invitation. AMP is a variant of the HTML, not an attachment, so it is
 * omitted. A template has its own contents.
 */
function otherContents(body: JsonValue): DraftAttachment[] {
  if (!body.get('template_id').isMissing) return [];
  return body
    .get('content')
    .list()
    .map((item) => ({ type: item.get('type').needText(), value: item.get('value') }))
    .filter(({ type }) => !/^\s*text\/(?:plain|html|x-amp-html)\b/i.test(type))
    .map(({ type, value }) =>
      fileOf(value.path, Buffer.from(value.needText()), { filename: null, contentType: type.trim() }),
    );
}

/** Creates a function that replaces the tags in a personalization's `substitutions`, such as `-name-`, with their values. */
function substitution(own: JsonValue, filling: Filling): (text: string) => string {
  const given = own.get('substitutions');
  const values = new Map(given.entries().map(([tag, value]) => [tag, value.text() ?? '']));
  if ([...values].flat().join('').length > mostSubstitutionCharacters)
    given.fail('may have at most 10,000 characters');
  const tags = [...values.keys()].filter((tag) => tag !== '');
  if (tags.length === 0) return (text) => text;
  if (tags.some((tag) => tag.length > mostTagCharacters))
    given.fail(`may have tags of at most ${mostTagCharacters} characters`);
  const pattern = new RegExp(`(${tags.map((tag) => RegExp.escape(tag)).join('|')})`, 'g');
  return (text) => filling.fill(text, pattern, (tag) => values.get(tag), tags.join('').length);
}
