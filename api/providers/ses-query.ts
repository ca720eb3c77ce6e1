import { randomUUID } from 'node:crypto';
import type { Answer } from '#api/dialect.ts';
import type { Problem } from '#api/shapes/problem.ts';
import { messageUuid, templateTexts } from './drafts.ts';
import type { Form } from './form.ts';
import { JsonValue } from './json-value.ts';
import type { Drafted, Operation, Outcome } from './provider.ts';
import { addressesOf, mailOf, type People, rawMailOf, templateData, textsOf } from './ses-mail.ts';

const namespace = 'http://ses.amazonaws.com/doc/2010-12-01/';
/** Maximum characters of a field name that is read. The longest name in the reference has fewer than 100. */
const longestName = 200;

/**
 * Error statuses and codes in both APIs, by problem status: https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html and
 * https://docs.aws.amazon.com/ses/latest/dg/api-error-codes.html
 */
const errors: Record<number, { v2?: [number, string]; query?: [number, string] }> = {
  400: { v2: [400, 'BadRequestException'], query: [404, 'MalformedQueryString'] },
  401: { v2: [403, 'UnrecognizedClientException'], query: [403, 'InvalidClientTokenId'] },
  404: { v2: [404, 'UnknownOperationException'] },
  405: { v2: [405, 'UnknownOperationException'], query: [405, 'InvalidAction'] },
  408: { v2: [408, 'RequestTimeoutException'], query: [408, 'RequestTimeout'] },
  413: { v2: [413, 'RequestEntityTooLargeException'], query: [400, 'InvalidParameterValue'] },
  422: { v2: [400, 'BadRequestException'], query: [400, 'InvalidParameterValue'] },
  429: { v2: [429, 'TooManyRequestsException'], query: [400, 'Throttling'] },
  503: { v2: [503, 'ServiceUnavailable'], query: [503, 'ServiceUnavailable'] },
};

/** Codes for a request without a key, which no SES client sends. */
const withoutKey = { v2: 'MissingAuthenticationTokenException', query: 'MissingAuthenticationToken' };

/** Returns an error's status and code in one of the two APIs. */
export function sesError(api: 'v2' | 'query', status: number, hasKey: boolean): [number, string] {
  if (status === 401 && !hasKey) return [401, withoutKey[api]];
  return errors[status]?.[api] ?? [status, 'InternalFailure'];
}

/** Operations of the Query API, version 2010-12-01: https://docs.aws.amazon.com/ses/latest/APIReference/API_Operations.html */
export const sesQueryOperations: Operation[] = [
  operation('SendEmail', (request) => mailOf(peopleOf(request), textsOf(request.get('Message')))),
  operation('SendRawEmail', (request) => {
    const data = request.get('RawMessage').get('Data');
    return rawMailOf(data, request.get('Source'), addressesOf(request.get('Destinations')));
  }),
  operation('SendTemplatedEmail', (request) => {
    const name = request.get('Template').needText();
    return mailOf(peopleOf(request), templateTexts(name, templateData(request.get('TemplateData')).value));
  }),
];

function operation(action: string, read: (request: JsonValue) => Drafted): Operation {
  return {
    path: '/',
    operationId: `ses${action}`,
    summary: `${action} in the SES Query API format`,
    action,
    body: 'form',
    answerType: 'text/xml',
    read: (form) => [read(nested(form))],
    answer: ([outcome]) => success(action, outcome),
  };
}

function peopleOf(request: JsonValue): People {
  return {
    from: request.get('Source'),
    destination: request.get('Destination'),
    replyTo: request.get('ReplyToAddresses'),
  };
}

type Tree = { [name: string]: Tree | string };

/** Nests a form's fields: `A.B` is the field B of A, and `A.member.2` the second item of A. */
function nested({ texts }: Form): JsonValue {
  const root: Tree = Object.create(null);
  for (const [name, text] of texts) {
    if (name.length > longestName) continue;
    const steps = name.split('.');
    const last = steps.pop() ?? '';
    let tree = root;
    for (const step of steps) {
      const found = tree[step];
      const next: Tree = typeof found === 'object' ? found : Object.create(null);
      tree[step] = next;
      tree = next;
    }
    tree[last] ??= text;
  }
  return new JsonValue(withLists(root));
}

/** Converts an object that represents a list to that list. Numbers come first among an object's keys, in ascending order. */
function withLists(tree: Tree | string): unknown {
  if (typeof tree === 'string') return tree;
  const { member } = tree;
  if (typeof member === 'object') return Object.values(member).map(withLists);
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, withLists(value)]));
}

function success(action: string, outcome: Outcome | undefined): Answer {
  const requestId = randomUUID();
  const id = escaped(messageUuid(outcome));
  const result = `<${action}Result><MessageId>${id}</MessageId></${action}Result>`;
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
  const body = `<${action}Response xmlns="${namespace}">${result}${metadata}</${action}Response>`;
  return { status: 200, body, headers: headersOf(requestId) };
}

/** Creates the response to a refused Query API request. */
export function queryError({ status, detail, violations = [] }: Problem, hasKey: boolean): Answer {
  const [answered, documented] = sesError('query', status, hasKey);
  const code = violations.some(({ field }) => field === 'Action') ? 'InvalidAction' : documented;
  const type = answered < 500 ? 'Sender' : 'Receiver';
  const error = `<Type>${type}</Type><Code>${code}</Code><Message>${escaped(detail)}</Message>`;
  const requestId = randomUUID();
  const body = `<ErrorResponse xmlns="${namespace}"><Error>${error}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
  return { status: answered, body, headers: headersOf(requestId) };
}

function headersOf(requestId: string): Record<string, string> {
  return { 'Content-Type': 'text/xml', 'x-amzn-RequestId': requestId };
}

/** Escapes text for XML, which allows no control characters or half surrogate pairs. */
function escaped(text: string): string {
  const allowed = text.replace(/\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, ' ');
  return allowed.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
