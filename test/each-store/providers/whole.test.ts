import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { onCluster, type Program, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

/** MongoDB takes many times as long for them. */
const count = onCluster ? 300 : 1000;

/** Sends a SendGrid request with many emails, and returns the response status, or null if none arrived. */
async function post(program: Program, user: User): Promise<number | null> {
  const body = {
    personalizations: Array.from({ length: count }, (_, at) => ({ to: [{ email: `user${at}@gmail.com` }] })),
    from: { email: 'shop@example.com' },
    subject: 'x',
    content: [{ type: 'text/plain', value: 'x'.repeat(1000) }],
  };
  const sent = fetch(`${program.baseUrl}/providers/sendgrid/v3/mail/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return sent.then(
    ({ status }) => status,
    () => null,
  );
}

async function stored({ account, inbox }: User, api: HttpClient): Promise<number> {
  const { mailboxes } = await ok(api.get(`/api/accounts/${account.id}`));
  const found = mailboxes.find(({ id }: { id: number }) => id === inbox);
  return found.totalMessages;
}

const dns = await startDnsServer();
after(() => dns.close());
const settings = {
  SANDPOST_DATA_DIR: await temporaryDir(),
  SANDPOST_DNS_SERVERS: dns.address,
  SANDPOST_RATE_LIMIT: '1000000',
};
const program = await startProgram(settings);
after(() => program.kill());

/** Creates a user whose account captures all mail. */
async function capturing(): Promise<User> {
  const user = await createUser(program);
  await ok(user.api.patch(`/api/accounts/${user.account.id}`, { is_capture: true }));
  return user;
}

/** Resolves as soon as a request's message can be read, or the request is answered. */
async function untilSome(user: User, answered: Promise<unknown>): Promise<void> {
  let over = false;
  void answered.then(() => {
    over = true;
  });
  await until(async () => over || (await stored(user, user.api)) > 0);
}

test('an account that takes no more mail once a request has begun to be stored refuses none of it, or all', async () => {
  const user = await capturing();
  const answered = post(program, user);
  await untilSome(user, answered);
  await ok(user.api.patch(`/api/accounts/${user.account.id}`, { is_active: false }));
  const status = await answered;
  assert.equal(await stored(user, user.api), status === 202 ? count : 0, `the status was ${status}`);
});

test('kill -9 in the middle of a request leaves all of its mails, or none', async (context) => {
  const user = await capturing();
  const answered = post(program, user);
  await untilSome(user, answered);
  await program.kill();
  const status = await answered;
  const again = await startProgram(settings);
  context.after(() => again.kill());
  const total = await stored(user, new HttpClient(again, { 'x-api-key': user.key }));
  assert.ok(total === count || (total === 0 && status !== 202), `${total} are stored after ${status}`);
});
