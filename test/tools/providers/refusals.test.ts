import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { keyOf } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const mail = await startMailProgram();

async function post(path: string, headers: Record<string, string>, body: unknown): Promise<number> {
  const response = await fetch(`${mail.program.baseUrl}/providers/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return response.status;
}

test('what a provider API refuses is told to the team of the key, in the order of the requests', async () => {
  const [user, other] = [await createUser(mail.program), await createUser(mail.program)];
  const nobody = `nobody@${user.domain.domain}`;
  const read = await keyOf(mail.program, user.api, { scope: 'read', name: 'reader' });
  const resend = (key: string, body: unknown) =>
    post('resend/emails', { authorization: `Bearer ${key}` }, body);
  const draft = { from: 'shop@example.com', subject: 'hello', text: 'world' };
  const statuses = [
    await resend(user.key, { ...draft, to: [user.address, nobody] }),
    await resend(user.key, { ...draft, to: [`nobody@${other.domain.domain}`] }),
    await resend(user.key, '{'),
    await resend(read.key, { ...draft, to: [user.address] }),
    await resend('re_unknown', { ...draft, to: [user.address] }),
    await resend(user.key, { ...draft, to: [user.address] }),
  ];
  const { items } = await ok(user.api.get('/api/refusals'));
  items.reverse();
  for (const { stage, reply, remote_address, helo } of items) {
    assert.deepEqual([stage, remote_address, helo], ['api', '127.0.0.1', null]);
    assert.match(reply, /^[45]\d\d ./);
  }
  assert.deepEqual(
    items.map(({ reply }: Json) => Number(reply.slice(0, 3))),
    statuses.slice(0, 4),
  );
  assert.deepEqual(
    items.map(({ reason, mail_from, rcpt_to, authenticated_as }: Json) => [
      ...[reason, mail_from, rcpt_to.join(), authenticated_as.name],
    ]),
    [
      ['no-capture', 'shop@example.com', nobody, 'tests'],
      ['no-capture', 'shop@example.com', `nobody@${other.domain.domain}`, 'tests'],
      ['invalid-request', null, '', 'tests'],
      ['may-not-send', null, '', 'reader'],
    ],
  );
  assert.deepEqual((await ok(other.api.get('/api/refusals'))).items, []);
});

test('of a batch, the mail that is refused by itself is told', async () => {
  const user = await createUser(mail.program);
  const nobody = `nobody@${user.domain.domain}`;
  const draft = { From: 'shop@example.com', Subject: 'hello', TextBody: 'world' };
  const batch = [user.address, nobody].map((To) => ({ ...draft, To }));
  assert.equal(await post('postmark/email/batch', { 'x-postmark-server-token': user.key }, batch), 200);
  const { items } = await ok(user.api.get('/api/refusals'));
  assert.deepEqual(
    items.map(({ reply, rcpt_to }: Json) => [reply.slice(0, 3), ...rcpt_to]),
    [['422', nobody]],
  );
});
