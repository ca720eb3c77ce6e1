import type { Draft } from '#core/delivery/compose.ts';
import type { Violation } from '#core/errors.ts';
import { oneAddress } from './addresses.ts';
import {
  attachmentOf,
  bodiesOf,
  draftOf,
  eachIndependently,
  messageUuid,
  type Texts,
  templateSender,
  templateTexts,
} from './drafts.ts';
import type { JsonValue } from './json-value.ts';
import type { Outcome, Provider } from './provider.ts';
import { byLocalPart, simulated } from './test-addresses.ts';

/** Maximum recipients, and maximum emails in a batch (Resend API reference). */
const mostRecipients = 50;
const mostMails = 100;

/** Names and statuses of errors, by Sandpost's status: https://resend.com/docs/api-reference/errors */
const errors = new Map([
  [400, { status: 400, name: 'validation_error' }],
  [401, { status: 403, name: 'invalid_api_key' }],
  [404, { status: 404, name: 'not_found' }],
  [405, { status: 405, name: 'method_not_allowed' }],
  [413, { status: 413, name: 'validation_error' }],
  [422, { status: 422, name: 'validation_error' }],
  [429, { status: 429, name: 'rate_limit_exceeded' }],
  [503, { status: 503, name: 'service_unavailable' }],
]);

/** Status and name of the error for a request without a key: https://resend.com/docs/api-reference/errors */
const withoutKey = { status: 401, name: 'missing_api_key' };

/** Resend: https://resend.com/docs/api-reference/emails/send-email */
export const resend: Provider = {
  name: 'resend',
  title: 'Resend',
  key: { in: 'bearer' },
  throttled: (seconds) => ({ 'ratelimit-remaining': '0', 'ratelimit-reset': String(seconds) }),
  // https://resend.com/docs/dashboard/emails/send-test-emails
  testAddress: byLocalPart('resend.dev', [
    ['bounced', simulated.unknown],
    ['complained', simulated.complaint],
    ['suppressed', simulated.suppressed],
  ]),
  operations: [
    {
      path: '/emails',
      operationId: 'resendSend',
      summary: 'Send mail in the Resend format',
      read: (body) => [readMail(body)],
      answer: (outcomes) => ({ status: 200, body: { id: messageUuid(outcomes[0]) } }),
    },
    {
      path: '/emails/batch',
      operationId: 'resendSendBatch',
      summary: 'Send several emails in the Resend format',
      // Header field documented at https://resend.com/changelog/batch-validation-modes
      eachIndependently: (headers) => headers['x-batch-validation'] === 'permissive',
      read: readBatch,
      answer: (outcomes) => ({ status: 200, body: batchAnswer(outcomes) }),
    },
  ],
  refuse({ status, detail, violations: [violation] = [] }, { hasKey }) {
    const other = { status, name: 'application_error' };
    const known = status === 401 && !hasKey ? withoutKey : (errors.get(status) ?? other);
    const name = violation ? violationName(violation) : known.name;
    const message = violation ? sentence(violation) : detail;
    return { status: known.status, body: { statusCode: known.status, message, name } };
  },
};

function batchAnswer(outcomes: Outcome[]): object {
  const data = outcomes.flatMap((outcome) => ('violations' in outcome ? [] : [{ id: messageUuid(outcome) }]));
  const refused = outcomes.flatMap((outcome, index) =>
    'violations' in outcome ? [{ index, message: outcome.violations.map(sentence).join(' ') }] : [],
  );
  return { data, ...(refused.length > 0 && { errors: refused }) };
}

/** Describes a violation as Resend does: Missing `to` field. */
function sentence({ field, message }: Violation): string {
  if (isMissing(message)) return `Missing \`${field}\` field.`;
  return `Invalid \`${field}\` field: ${message}.`;
}

function violationName({ field, message }: Violation): string {
  if (/(?:^|\.)attachments\.\d/.test(field)) return 'invalid_attachment';
  return isMissing(message) ? 'missing_required_field' : 'validation_error';
}

function isMissing(message: string): boolean {
  return message === 'is required' || message === 'must have at least one item';
}

function readBatch(body: JsonValue) {
  const mails = body.atMost(mostMails).needList();
  return eachIndependently(mails, (mail) => {
    const attachments = mail.get('attachments');
    // Resend's request reference says that batches do not support attachments.
    if (attachments.list().length > 0)
      attachments.fail('is not allowed in a batch: send the email with POST /emails');
    return readMail(mail);
  });
}

function readMail(mail: JsonValue): Draft {
  const template = mail.get('template');
  const from = mail.get('from');
  const to = mail.get('to');
  if (to.isMissing) to.fail('is required');
  if (to.atMost(mostRecipients).listOrOne().length === 0) to.needList();
  return draftOf({
    from: from.isMissing && !template.isMissing ? templateSender : oneAddress(from.path, from.needText()),
    to: addresses(to),
    cc: addresses(mail.get('cc')),
    bcc: addresses(mail.get('bcc')),
    replyTo: addresses(mail.get('reply_to')),
    headers: mail
      .get('headers')
      .entries()
      .map(([name, value]) => ({ name, value: value.text() ?? '' })),
    attachments: mail.get('attachments').list().map(readAttachment),
    ...(template.isMissing ? readContent(mail) : readTemplate(mail, template)),
  });
}

/** Reads an address or a list of addresses, bare or with names. */
function addresses(value: JsonValue) {
  return value.listOrOne().map((item) => oneAddress(item.path, item.needText()));
}

function readContent(mail: JsonValue): Texts {
  const subject = mail.get('subject').needText();
  // An empty string means that no text is generated from the HTML.
  const html = mail.get('html');
  return { subject, ...bodiesOf(mail.get('text'), html, () => html.fail('is required')) };
}

function readTemplate(mail: JsonValue, template: JsonValue): Texts {
  for (const name of ['html', 'text']) {
    const content = mail.get(name);
    if (!content.isMissing) content.fail('cannot be combined with a template');
  }
  const id = template.get('id').needText();
  return templateTexts(id, template.get('variables').value, mail.get('subject').text());
}

function readAttachment(file: JsonValue) {
  const content = file.get('content');
  const path = file.get('path');
  if (content.isMissing && !path.isMissing) {
    path.fail('is not supported, because Sandpost does not fetch anything: send the file itself as content');
  }
  const contentId = file.get('content_id').text() ?? file.get('inline_content_id').text();
  return attachmentOf(content.path, base64Of(content), {
    filename: file.get('filename').text(),
    contentType: file.get('content_type').text(),
    contentId,
  });
}

/** Reads a file's content: base64, a list of bytes as sent by the Python client, or a Node.js Buffer as JSON. */
function base64Of(content: JsonValue): string {
  const data = content.get('data');
  const bytes = data.isMissing ? content : data;
  if (!Array.isArray(bytes.value)) return content.needText();
  const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
  if (!bytes.value.every(isByte)) bytes.fail('must be base64 or a list of bytes');
  return Buffer.from(bytes.value).toString('base64');
}
