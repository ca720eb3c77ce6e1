import type { Draft } from '#core/delivery/compose.ts';
import type { NamedAddress } from '#core/messages/content.ts';
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
import type { JsonValue } from './json-value.ts';
import type { Provider } from './provider.ts';

const fields = { address: 'email', name: 'name' };

/** Request limits from Brevo's reference for `POST /v3/smtp/email` and its guide to batches. */
const mostVersions = 1000;
const mostRecipientsOfVersion = 99;
const mostRecipientsOfVersions = 2000;
const mostParamsBytes = 100 * 1024;

/** Mark for emails from `messageVersions`, whose ids the response lists. */
const versionNote = 'version';

/** Error codes of refused requests, by HTTP status: `errorModel` in Brevo's OpenAPI document. */
const codes: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  404: 'document_not_found',
  405: 'method_not_allowed',
  429: 'too_many_requests',
};

/** Brevo, API v3: https://developers.brevo.com/reference/send-transac-email */
export const brevo: Provider = {
  name: 'brevo',
  title: 'Brevo',
  key: { in: 'header', name: 'api-key' },
  // https://developers.brevo.com/docs/limit-headers
  throttled: (seconds) => ({ 'x-sib-ratelimit-remaining': '0', 'x-sib-ratelimit-reset': String(seconds) }),
  operations: [
    {
      path: '/v3/smtp/email',
      operationId: 'brevoSend',
      summary: 'Send mail in the Brevo format',
      success: 201,
      read: readMails,
      answer(outcomes) {
        const ids = outcomes.map((outcome) => `<${messageIdOf(outcome)}>`);
        const isBatch = outcomes.some((outcome) => 'note' in outcome && outcome.note === versionNote);
        return { status: 201, body: isBatch ? { messageIds: ids } : { messageId: ids[0] } };
      },
    },
  ],
  refuse({ status, detail, violations: [violation] = [] }) {
    if (violation === undefined) {
      const other = status >= 500 ? 'internal_server_error' : 'bad_request';
      return { status, body: { code: codes[status] ?? other, message: detail } };
    }
    const isMissing = violation.message === 'is required';
    return {
      status: 400,
      body: { code: isMissing ? 'missing_parameter' : 'invalid_parameter', message: detail },
    };
  },
};

/** Creates an email for each of `messageVersions`, or one email from the whole request. */
function* readMails(body: JsonValue): Generator<Draft> {
  const attachments = filesOf(body.get('attachment'), { content: 'content', filename: 'name' }, isInline);
  const versions = body.get('messageVersions').atMost(mostVersions);
  const filling = new Filling();
  if (versions.list().length === 0) {
    yield draftOf({ ...readMail(body, body, filling), attachments });
    return;
  }
  let recipients = 0;
  for (const version of versions.list()) {
    const mail = readMail(body, version, filling);
    const count = mail.to.length + mail.cc.length + mail.bcc.length;
    recipients += count;
    if (count > mostRecipientsOfVersion) {
      version.fail(`may have at most ${mostRecipientsOfVersion} recipients`);
    }
    if (recipients > mostRecipientsOfVersions) {
      versions.fail(`may have at most ${mostRecipientsOfVersions} recipients in total`);
    }
    yield draftOf({ ...mail, attachments, note: versionNote });
  }
}

function readMail(body: JsonValue, own: JsonValue, filling: Filling): Omit<Draft, 'attachments'> {
  const either = (name: string) => own.get(name).or(body.get(name));
  const template = either('templateId').textOrNumber();
  const replyTo = either('replyTo');
  const to = own.get('to');
  if (to.list().length === 0) to.fail('is required');
  return {
    from: readSender(body.get('sender'), template),
    to: addressObjects(to, fields),
    cc: addressObjects(either('cc'), fields),
    bcc: addressObjects(either('bcc'), fields),
    replyTo: replyTo.isMissing ? [] : [addressObject(replyTo, fields)],
    headers: readHeaders(own.get('headers').over(body.get('headers'))),
    ...readContent(body, own, template, filling),
  };
}

/** Reads a sender: an address, the id of a sender stored at Brevo, or nothing if a template has the sender. */
function readSender(sender: JsonValue, template: string | null): NamedAddress {
  const isStored = sender.isMissing ? template !== null : !sender.get('id').isMissing;
  if (isStored && sender.get('email').isMissing) return templateSender;
  return addressObject(sender, fields);
}

/** Reads header fields. Skips `sender.ip`, which is not a header field but selects the address that Brevo sends from. */
function readHeaders(headers: JsonValue): Draft['headers'] {
  return headers
    .entries()
    .filter(([name]) => name !== 'sender.ip')
    .map(([name, value]) => ({ name, value: value.textOrNumber() ?? '' }));
}

function readContent(body: JsonValue, own: JsonValue, template: string | null, filling: Filling): Texts {
  const either = (name: string) => own.get(name).or(body.get(name));
  const params = readParams(own.get('params')).over(readParams(body.get('params')));
  const fill = substitution(params, filling);
  const subject = fill(either('subject').text() ?? '');
  if (template !== null) return templateTexts(template, params.value, subject);
  if (subject === '') either('subject').fail('is required');
  const html = either('htmlContent');
  return { subject, ...bodiesOf(either('textContent'), html, () => html.fail('is required'), fill) };
}

/**
 * Creates a function that replaces `{{params.name}}` with values from params. A period leads into an object. The function leaves other
 * expressions unchanged.
 */
function substitution(params: JsonValue, filling: Filling): (text: string) => string {
  return (text) => filling.fill(text, /\{\{\s*params\.([\w.-]+)\s*\}\}/g, (path) => params.at(path).value);
}

function readParams(params: JsonValue): JsonValue {
  const length = Buffer.byteLength(JSON.stringify(params.fields()));
  return length > mostParamsBytes ? params.fail('must be at most 100 KB') : params;
}

/** Returns false because no file is inline in the HTML. Refuses a file that would have to be fetched. */
function isInline(file: JsonValue): boolean {
  const url = file.get('url');
  if (url.isMissing || !file.get('content').isMissing) return false;
  return url.fail(
    'is not supported, because Sandpost does not fetch anything: send the file in content, as base64, with its name',
  );
}
