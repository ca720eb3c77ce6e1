import type { Problem } from '#api/shapes/problem.ts';
import type { Draft } from '#core/delivery/compose.ts';
import type { TestOutcome } from '#core/delivery/submit-mails.ts';
import { invalid, type Violation } from '#core/errors.ts';
import { addressList, headerField, oneAddress } from './addresses.ts';
import { attachmentOf, bodiesOf, draftOf, eachIndependently, templateTexts } from './drafts.ts';
import type { JsonValue } from './json-value.ts';
import type { Operation, Outcome, Provider } from './provider.ts';
import { localPartAt, simulated } from './test-addresses.ts';

/** Maximum addresses in To, Cc and Bcc each: https://postmarkapp.com/developer/api/email-api. */
const mostRecipients = 50;
/** Maximum emails in a batch, from https://postmarkapp.com/developer/api/email-api. */
const mostMails = 500;

const addressFields = ['From', 'To', 'Cc', 'Bcc', 'ReplyTo'];

/** ErrorCode of an invalid request, from https://postmarkapp.com/developer/api/overview#error-codes. */
const invalidRequest = 300;

/** Errors involving several fields, whose message is a full sentence, and their ErrorCode. */
const wholeFaults = new Map([
  ['mail', invalidRequest],
  ['batch', 410],
  ['template', 1101],
]);

/**
 * Reports by bounce type, which the address's local part or a header field names:
 * https://postmarkapp.com/developer/user-guide/sandbox-mode/generate-fake-bounces
 */
const bounces = new Map<string, TestOutcome>([
  ['hardbounce', simulated.unknown],
  ['bademailaddress', simulated.unknown],
  ['softbounce', simulated.full],
  ['transient', simulated.unreachable],
  ['dnserror', simulated.unreachable],
  ['blocked', simulated.blocked],
  ['spamnotification', simulated.blocked],
  ['dmarcpolicy', simulated.blocked],
  ['autoresponder', simulated.autoreply],
]);

const single = {
  answer: (outcomes) => ({ status: 200, body: outcomes.map(resultOf)[0] ?? null }),
} satisfies Partial<Operation>;

const batch = {
  eachIndependently: true,
  answer: (outcomes) => ({ status: 200, body: outcomes.map(resultOf) }),
} satisfies Partial<Operation>;

/** Postmark, Email API and Templates API: https://postmarkapp.com/developer/api/overview */
export const postmark: Provider = {
  name: 'postmark',
  title: 'Postmark',
  key: { in: 'header', name: 'x-postmark-server-token' },
  testAddress(address, message) {
    const name = localPartAt('bounce-testing.postmarkapp.com', address);
    if (name === null) return null;
    const type = headerField(message, 'X-PM-Bounce-Type') || name;
    return bounces.get(type.toLowerCase().replaceAll('_', '')) ?? null;
  },
  operations: [
    {
      ...single,
      path: '/email',
      operationId: 'postmarkSend',
      summary: 'Send mail in the Postmark format',
      read: (body: JsonValue) => [readMail(body)],
    },
    {
      ...batch,
      path: '/email/batch',
      operationId: 'postmarkSendBatch',
      summary: 'Send several emails in the Postmark format',
      read: (body: JsonValue) => readBatch(body, readMail),
    },
    {
      ...single,
      path: '/email/withTemplate',
      operationId: 'postmarkSendWithTemplate',
      summary: 'Send mail from a template in the Postmark format',
      read: (body: JsonValue) => [readTemplated(body)],
    },
    {
      ...batch,
      path: '/email/batchWithTemplates',
      operationId: 'postmarkSendBatchWithTemplates',
      summary: 'Send several emails from templates in the Postmark format',
      read: (body: JsonValue) => readBatch(body.get('Messages'), readTemplated),
    },
  ],
  refuse(problem) {
    const { status, detail, violations = [] } = problem;
    const body =
      violations.length > 0 ? faultOf(violations) : { ErrorCode: errorCode(problem), Message: detail };
    return { status: status === 400 ? 422 : status, body };
  },
};

/** Returns the ErrorCode of a problem without a field. Postmark documents none for 404, 405, 413 and 500. */
function errorCode({ status, code, detail }: Problem): number {
  if (status === 401) return 10;
  if (status === 429) return 429;
  if (status === 503) return 100;
  // The request needs JSON, or its JSON is invalid.
  if (code === 'malformed_request') return detail.includes('application/json') ? 409 : 402;
  return invalidRequest;
}

function faultOf(violations: Violation[]): { ErrorCode: number; Message: string } {
  const code = wholeFaults.get(violations[0]?.field ?? '') ?? invalidRequest;
  return { ErrorCode: code, Message: violations.map(sentence).join(' ') };
}

function sentence({ field, message }: Violation): string {
  if (wholeFaults.has(field)) return message;
  const address = addressFields.find((name) => name.toLowerCase() === field.toLowerCase());
  return address === undefined ? `'${field}' ${message}.` : `Invalid '${address}' address: ${message}.`;
}

function resultOf(outcome: Outcome): object {
  if ('violations' in outcome) return faultOf(outcome.violations);
  const { messageId, addressees } = outcome;
  const [to, cc, bcc] = [addressees.to, addressees.cc, addressees.bcc].map((list) => list.join(','));
  return {
    To: to,
    ...(cc && { Cc: cc }),
    ...(bcc && { Bcc: bcc }),
    SubmittedAt: new Date().toISOString(),
    MessageID: messageId?.split('@')[0] ?? null,
    ErrorCode: 0,
    Message: 'OK',
  };
}

function readBatch(list: JsonValue, read: (mail: JsonValue) => Draft) {
  const mails = list.needList();
  if (mails.length > mostMails) throw invalid('batch', `A batch may have at most ${mostMails} messages.`);
  return eachIndependently(mails, (mail) => read(mail.asWhole()));
}

function readMail(body: JsonValue): Draft {
  const bodies = bodiesOf(body.get('TextBody'), body.get('HtmlBody'), () => {
    throw invalid('mail', 'Provide either email TextBody or HtmlBody or both.');
  });
  return draftOf({ ...readHead(body), subject: body.get('Subject').text() ?? '', ...bodies });
}

/** Reads an email with a template, which has its own subject. */
function readTemplated(body: JsonValue): Draft {
  const template = body.get('TemplateId').value ?? body.get('TemplateAlias').value ?? '';
  if (!['string', 'number'].includes(typeof template) || template === '')
    throw invalid('template', 'Provide a TemplateId or a TemplateAlias.');
  const model = body.get('TemplateModel');
  const data = Object.fromEntries(model.entries().map(([name, { value }]) => [name, value ?? null]));
  return draftOf({ ...readHead(body), ...templateTexts(String(template), data) });
}

function readHead(body: JsonValue): Pick<Draft, 'from'> & Partial<Draft> {
  const addresses = (name: string) => addressList(name, body.get(name).text() ?? '');
  const [to = [], cc = [], bcc = []] = ['To', 'Cc', 'Bcc'].map((name) => {
    const list = addresses(name);
    if (list.length > mostRecipients)
      throw invalid('mail', `'${name}' may have at most ${mostRecipients} recipients.`);
    return list;
  });
  if (to.length + cc.length + bcc.length === 0) throw invalid('mail', 'Zero recipients specified.');
  return {
    from: oneAddress('From', body.get('From').text() ?? ''),
    to,
    cc,
    bcc,
    replyTo: addresses('ReplyTo'),
    headers: body
      .get('Headers')
      .list()
      .map((header) => ({ name: header.get('Name').needText(), value: header.get('Value').text() ?? '' })),
    attachments: body.get('Attachments').list().map(readAttachment),
  };
}

/** Reads a file. Its ContentID may be written as in the HTML (`cid:logo`), or bare. */
function readAttachment(file: JsonValue) {
  const content = file.get('Content');
  return attachmentOf(content.path, content.needText(), {
    filename: file.get('Name').needText(),
    contentType: file.get('ContentType').text(),
    contentId: file.get('ContentID').text()?.replace(/^cid:/i, '') ?? null,
  });
}
