import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base64 } from '#test/support/clients/smtp-auth.ts';
import { type Ses, type SesRequest, startSes, subjectOf } from './ses-program.ts';

let ses: Ses;
before(async () => {
  ses = await startSes();
});
after(() => ses?.mail.stop());

const query = {
  Action: 'SendEmail',
  Source: 'shop@example.com',
  'Destination.ToAddresses.member.1': 'alice@gmail.com',
  'Message.Subject.Data': 'Hello',
  'Message.Body.Text.Data': 'text',
};

test('the Query API answers with the XML of its action, at both of its paths', async () => {
  for (const path of ['', '/']) {
    const subject = subjectOf('Query');
    const { status, body, headers } = await ses.v1({ ...query, 'Message.Subject.Data': subject }, path);
    assert.equal(status, 200, body);
    assert.match(headers.get('content-type') ?? '', /^text\/xml/);
    const [, result] =
      /^<SendEmailResponse xmlns="http:\/\/ses\.amazonaws\.com\/doc\/2010-12-01\/"><SendEmailResult><MessageId>([^<]+)<\/MessageId><\/SendEmailResult><ResponseMetadata><RequestId>[0-9a-f-]{36}<\/RequestId><\/ResponseMetadata><\/SendEmailResponse>$/.exec(
        body,
      ) ?? [];
    assert.ok((await ses.arrived(subject)).msgid.startsWith(`<${result}@`));
  }
});

/** Fields that the Query API refuses, with the code and part of the sentence. */
const refused: [string, Record<string, string>, string, RegExp][] = [
  ['another action', { Action: 'SendBounce' }, 'InvalidAction', /Action/],
  ['a bad address', { Source: 'a&b' }, 'InvalidParameterValue', /^Source: "a&amp;b" is not a valid/],
  ['an empty list', { 'Destination.ToAddresses.member.1': '' }, 'InvalidParameterValue', /is required/],
  ['a text for a list', { ReplyToAddresses: 'x' }, 'InvalidParameterValue', /must be an array/],
  ['raw, no data', { Action: 'SendRawEmail' }, 'InvalidParameterValue', /RawMessage\.Data: is required/],
  ['no template', { Action: 'SendTemplatedEmail' }, 'InvalidParameterValue', /Template: is required/],
];
for (const [name, fields, code, sentence] of refused) {
  test(`the Query API refuses as ${code}: ${name}`, async () => {
    const { status, body } = await ses.v1({ ...query, ...fields });
    assert.equal(status, 400, body);
    assert.ok(body.startsWith('<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/">'), body);
    assert.ok(body.includes(`<Code>${code}</Code>`), body);
    assert.match(/<Message>(.*)<\/Message>/.exec(body)?.[1] ?? '', sentence);
  });
}

test('lists are read in the order of their numbers', async () => {
  const subject = subjectOf('Numbers');
  const fields = {
    'Destination.ToAddresses.member.2': 'second@gmail.com',
    'Destination.ToAddresses.member.10': 'tenth@gmail.com',
  };
  await ses.v1({ ...query, ...fields, 'Message.Subject.Data': subject });
  const { to } = await ses.arrived(subject);
  const addresses = to.map(({ address }: { address: string }) => address);
  assert.deepEqual(addresses, ['alice@gmail.com', 'second@gmail.com', 'tenth@gmail.com']);
});

test('a raw mail goes from the source to the destinations', async () => {
  const subject = subjectOf('Raw');
  const lines = ['To: alice@gmail.com', 'From: a@x.test', `Subject: ${subject}`, '', 'text'];
  const { status, body } = await ses.v1({
    Action: 'SendRawEmail',
    Source: 'Shop <shop@example.com>',
    'Destinations.member.1': 'bob@gmail.com',
    'RawMessage.Data': base64(lines.join('\r\n')),
  });
  assert.match(body, /^<SendRawEmailResponse .*<SendRawEmailResult><MessageId>[0-9a-f-]{36}</);
  assert.equal(status, 200);
  const { envelope } = await ses.arrived(subject);
  assert.deepEqual([envelope.mail_from, envelope.rcpt_to], ['shop@example.com', ['bob@gmail.com']]);
});

test('names of fields that reach into objects are nothing to the Query API', async () => {
  const subject = subjectOf('Names');
  const fields = {
    '__proto__.x': '1',
    'constructor.prototype.y': '1',
    ['a.'.repeat(50_000)]: '1',
    '..': '1',
  };
  const { status, body } = await ses.v1({ ...query, ...fields, 'Message.Subject.Data': subject });
  assert.equal(status, 200, body);
  await ses.arrived(subject);
});

/** Requests that cannot be parsed, with status and code. Those with the path `/` go to the Query API, the others to v2. */
const errors: [string, SesRequest, number, string][] = [
  ['wrong key', { key: `sp_${'A'.repeat(43)}` }, 403, 'UnrecognizedClientException'],
  ['wrong key', { path: '/', key: `sp_${'A'.repeat(43)}` }, 403, 'InvalidClientTokenId'],
  ['no key', { key: '' }, 401, 'MissingAuthenticationTokenException'],
  ['wrong type', { type: 'text/plain' }, 400, 'BadRequestException'],
  ['wrong type', { path: '/' }, 404, 'MalformedQueryString'],
  ['no JSON', { body: '{' }, 400, 'BadRequestException'],
  ['another method', { method: 'PUT' }, 405, 'UnknownOperationException'],
  ['another method', { path: '', method: 'PUT' }, 405, 'InvalidAction'],
  ['another path', { path: '/v2/email/identities' }, 404, 'UnknownOperationException'],
  ['too large', { body: ' '.repeat(33 * 1024 * 1024) }, 413, 'RequestEntityTooLargeException'],
  ['too large', { path: '/?a=b', body: ' '.repeat(33 * 1024 * 1024) }, 400, 'InvalidParameterValue'],
];
for (const [name, request, status, code] of errors) {
  test(`${code}: ${name}`, async () => {
    const ask = () => ses.call({ body: '{}', ...request });
    // The server closes the connection after refusing a large body. A client that is still writing may lose the response.
    let answer = await ask().catch(() => null);
    for (let tries = 0; answer === null && name === 'too large' && tries < 10; tries += 1)
      answer = await ask().catch(() => null);
    assert.ok(answer, 'the connection was closed');
    assert.equal(answer.status, status, answer.body);
    if (answer.body.startsWith('{')) assert.equal(answer.headers.get('x-amzn-errortype'), code);
    else
      assert.ok(answer.body.includes(`<Error><Type>Sender</Type><Code>${code}</Code><Message>`), answer.body);
  });
}
