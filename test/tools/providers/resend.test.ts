import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  nodeClient,
  runPython,
  withoutNodeClients,
  withoutPythonClients,
} from '#test/support/clients/provider-clients.ts';
import { startDirect } from './direct.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

const one = ({ name, address }: Mail['from']) => (name === '' ? address : `"${name}" <${address}>`);

/** Message in the fields of Resend's own API. */
function bodyOf(mail: Mail) {
  const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments } = mail;
  return {
    from: one(from),
    to: to.map(one),
    cc: cc.map(one),
    bcc: bcc.map(one),
    ...(replyTo && { reply_to: one(replyTo) }),
    subject,
    ...(text === null ? {} : { text }),
    ...(html === null ? {} : { html }),
    headers,
    attachments: attachments.map(({ filename, contentType, content, contentId }) => ({
      filename,
      content,
      content_type: contentType,
      ...(contentId === null ? {} : { content_id: contentId }),
    })),
  };
}

type Told = { statusCode: number; message: string; name: string };
type Result<T> = Promise<{ data: T; error: null } | { data: null; error: Told }>;
type Resend = {
  emails: { send(mail: object): Result<{ id: string }> };
  batch: {
    send(mails: object[], options?: object): Result<{ data: { id: string }[]; errors?: object[] }>;
  };
};

function open({ url, key }: Access): Resend {
  const { Resend } = nodeClient<{ Resend: new (key: string, options: { baseUrl: string }) => Resend }>(
    'resend',
  );
  return new Resend(key, { baseUrl: url });
}

/** Returns a call's data. Throws the error that the call returned. */
async function given<T>(result: Result<T>): Promise<T> {
  const { data, error } = await result;
  if (error) throw error;
  return data;
}

const byNode: Client = {
  name: 'resend by resend',
  provider: 'resend',
  skip: withoutNodeClients,
  async send(access, mail) {
    // The client uses different names for some of the fields.
    const { reply_to, attachments, ...others } = bodyOf(mail);
    const files = attachments.map(({ content_type, content_id, ...file }) => {
      return { ...file, contentType: content_type, contentId: content_id };
    });
    const { id } = await given(
      open(access).emails.send({ ...others, replyTo: reply_to, attachments: files }),
    );
    return id;
  },
  sendBatch: (access, mails) =>
    given(open(access).batch.send(mails.map((mail) => ({ ...bodyOf(mail), attachments: undefined })))),
  sendTemplate: (access, { from, to }, id, variables) =>
    given(open(access).emails.send({ from: one(from), to: to.map(one), template: { id, variables } })),
  failure(error) {
    const { statusCode, message } = error as Told;
    return { status: statusCode, message };
  },
  statuses: { wrongKey: 403, invalid: 422 },
};

const script = `
import json, sys
import resend
given = json.load(sys.stdin)
resend.api_key = given['key']
resend.api_url = given['url']
try:
    body = given['body']
    sent = resend.Batch.send(body) if isinstance(body, list) else resend.Emails.send(body)
    print(sent.get('id'))
except resend.exceptions.ResendError as error:
    sys.exit(json.dumps({'status': error.code, 'message': error.message}))
`;

const byPython: Client = {
  ...byNode,
  name: 'resend by PyPI’s resend',
  skip: withoutPythonClients,
  send: async ({ url, key }, mail) => (await runPython(script, { url, key, body: bodyOf(mail) })).trim(),
  sendBatch: ({ url, key }, mails) => {
    const body = mails.map((mail) => ({ ...bodyOf(mail), attachments: [] }));
    return runPython(script, { url, key, body });
  },
  sendTemplate: ({ url, key }, { from, to }, id, variables) => {
    const body = { from: one(from), to: to.map(one), template: { id, variables } };
    return runPython(script, { url, key, body });
  },
  failure: (error) => JSON.parse((error as Error).message),
};

for (const client of [byNode, byPython]) providerSuite(client);

const { access } = startDirect('resend');

test('resend: the client asks for permissive validation', { skip: withoutNodeClients }, async () => {
  const plain = { from: 'Shop <shop@example.com>', to: 'alice@gmail.com', subject: 'Hello', text: 'Hi' };
  const mails = [plain, { ...plain, to: 'nobody' }];
  const { data, errors } = await given(open(access()).batch.send(mails, { batchValidation: 'permissive' }));
  assert.equal(data.length, 1);
  assert.deepEqual(errors, [
    { index: 1, message: 'Invalid `1.to` field: "nobody" is not a valid email address.' },
  ]);
  const { error } = await open(access()).batch.send(mails);
  assert.equal(error?.name, 'validation_error');
});
