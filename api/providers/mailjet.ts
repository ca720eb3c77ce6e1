import { createHash, randomUUID } from 'node:crypto';
import type { Answer } from '#api/dialect.ts';
import type { Draft, DraftAttachment } from '#core/delivery/compose.ts';
import { invalid, type Violation } from '#core/errors.ts';
import { addressObject, addressObjects } from './addresses.ts';
import {
  attachmentOf,
  bodiesOf,
  draftOf,
  eachIndependently,
  Filling,
  messageIdOf,
  messageUuid,
  templateSender,
  templateTexts,
} from './drafts.ts';
import type { JsonValue } from './json-value.ts';
import type { Outcome, Provider } from './provider.ts';

const fields = { address: 'Email', name: 'Name' };

/** Request limits from Mailjet's reference for `POST /v3.1/send`. */
const mostMessages = 50;
const mostRecipients = 50;
const mostSubjectCharacters = 255;

/** Error codes of message faults, by the sentences of the faults. */
const faultCodes: [RegExp, string][] = [
  [/^is required$/, 'mj-0003'],
  [/^at least one of/, 'send-0003'],
  [/^is generated from the request's other fields/, 'send-0011'],
  [/at most \d+ addresses/, 'send-0015'],
  [/^must be |^is not base64|is not a media type$/, 'mj-0004'],
  [/at most \d+ characters/, 'mj-0006'],
  [/^must have at least one/, 'mj-0007'],
  [/^may have at most \d+/, 'mj-0008'],
  [/is not a valid email address$/, 'mj-0013'],
];
const otherFault = 'mj-0005';

/** Error codes by HTTP status, for requests that are refused before their messages are read. */
const requestCodes: Record<number, string> = { 400: 'mj-0002', 401: 'mj-0015', 413: 'mj-0011' };

/** Mailjet, Send API v3.1: https://dev.mailjet.com/email/reference/send-emails/ */
export const mailjet: Provider = {
  name: 'mailjet',
  title: 'Mailjet',
  key: { in: 'basic', part: 'user' },
  operations: [
    {
      path: '/v3.1/send',
      operationId: 'mailjetSend',
      summary: 'Send mail in the Mailjet format',
      eachIndependently: true,
      read: readMails,
      answer(outcomes) {
        const isRefused = outcomes.some((outcome) => 'violations' in outcome);
        return { status: isRefused ? 400 : 200, body: { Messages: outcomes.map(statusOf) } };
      },
    },
  ],
  refuse({ status: given, detail, violations }): Answer {
    const [violation] = violations ?? [];
    const status = [413, 422].includes(given) ? 400 : given;
    if (violation) return { status, body: errorOf(violation) };
    const code = requestCodes[given];
    const error = { ErrorIdentifier: randomUUID(), StatusCode: status, ErrorMessage: detail };
    return { status, body: { ...error, ...(code && { ErrorCode: code }) } };
  },
};

/** Creates a message's status for the list in the response. */
function statusOf(outcome: Outcome): object {
  if ('violations' in outcome) return { Status: 'error', Errors: outcome.violations.map(errorOf) };
  const id = messageIdOf(outcome);
  // Mailjet's ids are numbers: the first 52 bits of a hash are safe in JavaScript.
  const number = Number.parseInt(createHash('sha256').update(id).digest('hex').slice(0, 13), 16);
  const sent = {
    MessageUUID: messageUuid(outcome),
    MessageID: number,
    MessageHref: `https://api.mailjet.com/v3/REST/message/${number}`,
  };
  const { to, cc, bcc } = outcome.addressees;
  const each = (list: string[]) => list.map((address) => ({ Email: address, ...sent }));
  return { Status: 'success', CustomID: outcome.note ?? '', To: each(to), Cc: each(cc), Bcc: each(bcc) };
}

function errorOf({ field, message }: Violation) {
  const related = /^\w+(, \w+)+$/.test(field) ? field.split(', ') : [propertyOf(field)];
  return {
    ErrorIdentifier: randomUUID(),
    ErrorCode: faultCodes.find(([sentence]) => sentence.test(message))?.[1] ?? otherFault,
    StatusCode: 400,
    ErrorMessage: `${related.join(', ')}: ${message}`,
    ErrorRelatedTo: related,
  };
}

/** Writes a field's path as Mailjet does: `Messages.0.To.1.Email` as `To[1].Email`, `headers.X` as `Headers["X"]`. */
function propertyOf(path: string): string {
  const own = path.replace(/^Messages\.\d+\./, '').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  const header = /^headers\.(.+)$/is.exec(own)?.[1];
  if (header !== undefined) return `Headers["${header}"]`;
  return own.charAt(0).toUpperCase() + own.slice(1);
}

/** Creates an email from each message. `Globals` provides the values that a message lacks. */
function readMails(body: JsonValue) {
  const globals = body.get('Globals');
  const messages = body.get('Messages').atMost(mostMessages).needList();
  const shared = {
    files: readFiles(globals, 'Attachments'),
    images: readFiles(globals, 'InlinedAttachments'),
  };
  const filling = new Filling();
  return eachIndependently(messages, (message) => {
    const own = (name: string) => !message.get(name).isMissing;
    return draftOf({
      ...readMail(message, globals, filling),
      attachments: [
        ...(own('Attachments') ? readFiles(message, 'Attachments') : shared.files),
        ...(own('InlinedAttachments') ? readFiles(message, 'InlinedAttachments') : shared.images),
      ],
    });
  });
}

function readMail(message: JsonValue, globals: JsonValue, filling: Filling): Omit<Draft, 'attachments'> {
  const either = (name: string) => message.get(name).or(globals.get(name));
  const recipients = (name: string) => addressObjects(either(name), fields);
  const [from, replyTo, customId] = [either('From'), either('ReplyTo'), either('CustomID').textOrNumber()];
  const template = either('TemplateID').textOrNumber();
  const variables = message.get('Variables').over(globals.get('Variables'));
  const fill = either('TemplateLanguage').flag() ? substitution(variables, filling) : (text: string) => text;
  const subject = either('Subject').text() ?? '';
  if (subject.length > mostSubjectCharacters) {
    either('Subject').fail(`may have at most ${mostSubjectCharacters} characters`);
  }
  if (either('To').isMissing) either('To').fail('is required');
  either('To').needList();
  const [to, cc, bcc] = [recipients('To'), recipients('Cc'), recipients('Bcc')];
  if (to.length + cc.length + bcc.length > mostRecipients) {
    throw invalid('To, Cc, Bcc', `may have at most ${mostRecipients} addresses in total`);
  }
  const headers = message.get('Headers').over(globals.get('Headers')).entries();
  return {
    // A template stored at Mailjet can have its own sender.
    from: template !== null && from.isMissing ? templateSender : addressObject(from, fields),
    to,
    cc,
    bcc,
    replyTo: replyTo.isMissing ? [] : [addressObject(replyTo, fields)],
    headers: [
      ...headers.map(([name, value]) => ({ name, value: value.textOrNumber() ?? '' })),
      ...(customId === null ? [] : [{ name: 'X-MJ-CustomID', value: customId }]),
    ],
    ...(template === null
      ? { subject: fill(subject), ...bodiesOf(either('TextPart'), either('HTMLPart'), refuseEmpty, fill) }
      : templateTexts(template, variables.value, fill(subject))),
    ...(customId === null ? {} : { note: customId }),
  };
}

function refuseEmpty(): never {
  throw invalid('HTMLPart, TextPart', 'at least one of these or TemplateID must be provided');
}

/**
 * Creates a function that replaces `{{var:name}}` and `{{var:name:"default"}}` with variables' values. A period leads into an object. The
 * function leaves the rest of the template language unchanged: https://dev.mailjet.com/template-language/reference/
 */
function substitution(variables: JsonValue, filling: Filling): (text: string) => string {
  return (text) =>
    filling.fill(text, /\{\{\s*var:([^{}]+)\}\}/g, (expression) => {
      const [name = '', ...rest] = expression.split(':');
      const found = variables.at(name.trim());
      if (!found.isMissing || rest.length === 0) return found.value;
      return rest
        .join(':')
        .trim()
        .replace(/^(["'])(.*)\1$/s, '$2');
    });
}

function readFiles(message: JsonValue, property: 'Attachments' | 'InlinedAttachments'): DraftAttachment[] {
  return message
    .get(property)
    .list()
    .map((file) => {
      const content = file.get('Base64Content');
      return attachmentOf(content.path, content.needText(), {
        filename: file.get('Filename').needText(),
        contentType: file.get('ContentType').needText(),
        contentId: property === 'InlinedAttachments' ? file.get('ContentID').text() : null,
      });
    });
}
