import { randomUUID } from 'node:crypto';
import type { Answer } from '#api/dialect.ts';
import type { Problem } from '#api/shapes/problem.ts';
import { eachIndependently, Filling, messageUuid, type Texts, templateTexts } from './drafts.ts';
import { JsonValue } from './json-value.ts';
import type { Drafted, Outcome, Provider } from './provider.ts';
import {
  addressesOf,
  attachmentsOf,
  destinationOf,
  headersOf,
  inlineTemplate,
  mailOf,
  type People,
  rawMailOf,
  senderOf,
  templateData,
  textsOf,
} from './ses-mail.ts';
import { queryError, sesError, sesQueryOperations } from './ses-query.ts';
import { byLocalPart, simulated } from './test-addresses.ts';

/** Maximum destinations in a bulk request: https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const mostEntries = 50;

/** Amazon SES, API v2 and the Query API: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html */
export const ses: Provider = {
  name: 'ses',
  title: 'Amazon SES',
  key: { in: 'aws-signature' },
  errorTypes: ['application/json', 'text/xml'],
  // https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html
  testAddress: byLocalPart('simulator.amazonses.com', [
    ['bounce', simulated.unknown],
    ['complaint', simulated.complaint],
    ['ooto', simulated.autoreply],
    ['suppressionlist', simulated.suppressed],
  ]),
  operations: [
    {
      path: '/v2/email/outbound-emails',
      operationId: 'sesSend',
      summary: 'Send mail in the SES v2 format',
      read: (body) => [readMail(body)],
      answer: ([outcome]) => answer({ MessageId: messageUuid(outcome) }),
    },
    {
      path: '/v2/email/outbound-bulk-emails',
      operationId: 'sesSendBulk',
      summary: 'Send bulk mail in the SES v2 format',
      eachIndependently: true,
      read: readBulk,
      answer: (outcomes) => answer({ BulkEmailEntryResults: outcomes.map(entryResult) }),
    },
    ...sesQueryOperations,
  ],
  refuse(problem, { path, hasKey }) {
    return /^\/?$/.test(path) ? queryError(problem, hasKey) : errorOf(problem, hasKey);
  },
};

function answer(body: object): Answer {
  return { status: 200, body, headers: { 'x-amzn-RequestId': randomUUID() } };
}

function errorOf({ status, detail }: Problem, hasKey: boolean): Answer {
  const [answered, code] = sesError('v2', status, hasKey);
  const headers = { 'x-amzn-RequestId': randomUUID(), 'x-amzn-ErrorType': code };
  return { status: answered, body: { message: detail }, headers };
}

function entryResult(outcome: Outcome): object {
  if (!('violations' in outcome)) return { Status: 'SUCCESS', MessageId: messageUuid(outcome) };
  const sentences = outcome.violations.map(({ field, message }) => `${field}: ${message}`);
  return { Status: 'INVALID_PARAMETER', Error: sentences.join('; ') };
}

function readMail(body: JsonValue): Drafted {
  const content = body.get('Content');
  const [simple, raw, template] = [content.get('Simple'), content.get('Raw'), content.get('Template')];
  const people = peopleOf(body, body.get('Destination'));
  if (!raw.isMissing)
    return rawMailOf(raw.get('Data'), people.from, destinationOf(people.destination).flat());
  if (!template.isMissing) {
    return mailOf(people, {
      ...textsBy(template, templateData(template.get('TemplateData')), new Filling()),
      headers: headersOf(template.get('Headers')),
      attachments: attachmentsOf(template.get('Attachments')),
    });
  }
  if (simple.isMissing) content.fail('must include Simple, Raw or Template');
  return mailOf(people, {
    ...textsOf(simple),
    headers: headersOf(simple.get('Headers')),
    attachments: attachmentsOf(simple.get('Attachments')),
  });
}

function peopleOf(body: JsonValue, destination: JsonValue): People {
  return { from: body.get('FromEmailAddress'), destination, replyTo: body.get('ReplyToAddresses') };
}

function textsBy(template: JsonValue, data: JsonValue, filling: Filling): Texts {
  const content = template.get('TemplateContent');
  if (!content.isMissing) return inlineTemplate(content, data, filling);
  const arn = template.get('TemplateArn').text() ?? '';
  const name = template.get('TemplateName').text() || arn.slice(arn.lastIndexOf('/') + 1);
  if (name === '') template.fail('must include TemplateName, TemplateArn or TemplateContent');
  return templateTexts(name, data.value);
}

/** Creates an email from each entry. An error in a field that the entries share refuses the whole request. */
function* readBulk(body: JsonValue): Generator<Drafted> {
  const template = body.get('DefaultContent').get('Template');
  const entries = body.get('BulkEmailEntries').atMost(mostEntries).needList();
  const defaults = templateData(template.get('TemplateData'));
  const headers = headersOf(template.get('Headers'));
  const attachments = attachmentsOf(template.get('Attachments'));
  const { from, replyTo } = peopleOf(body, body);
  const filling = new Filling();
  textsBy(template, defaults, filling);
  senderOf(from);
  addressesOf(replyTo);
  yield* eachIndependently(entries, (entry) => {
    const replacement = entry.get('ReplacementEmailContent').get('ReplacementTemplate');
    const own = templateData(replacement.get('ReplacementTemplateData'));
    const data = new JsonValue({ ...Object(defaults.value), ...Object(own.value) }, own.path);
    const ownHeaders = headersOf(entry.get('ReplacementHeaders'));
    const replaced = new Map([...headers, ...ownHeaders].map((field) => [field.name.toLowerCase(), field]));
    return mailOf(
      { from, replyTo, destination: entry.get('Destination') },
      { ...textsBy(template, data, filling), attachments, headers: [...replaced.values()] },
    );
  });
}
