import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { openSocket, requestBytes } from '#test/support/hostile/raw-request.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';

const mail = await forAllTests(startMailProgram({ SANDPOST_RATE_LIMIT: '1000000' }));
const victim = await createUser(mail.program, { storage_limit: 10_000_000_000 });
const attackers: User[] = [mail.user];
for (let count = 0; count < 3; count += 1) {
  attackers.push(await createUser(mail.program, { storage_limit: 10_000_000_000 }));
}
for (const { api, account } of attackers) {
  await ok(api.patch(`/api/accounts/${account.id}`, { is_capture: true }));
}

/** SendGrid request for a thousand emails that a tag fills in. */
const filled = (tag: string, text: string) =>
  JSON.stringify({
    personalizations: Array.from({ length: 1000 }, (_, at) => ({
      to: [{ email: `user${at}@gmail.com` }],
      substitutions: { [tag]: '' },
    })),
    from: { email: 'shop@example.com' },
    subject: 'x',
    content: [{ type: 'text/plain', value: text }],
  });

/** SendGrid request for a thousand emails, each of which refers to a hundred others. */
const referring = () =>
  JSON.stringify({
    personalizations: Array.from({ length: 1000 }, (_, at) => ({
      to: [{ email: `user${at}@gmail.com` }],
      headers: { References: Array.from({ length: 100 }, (_, id) => `<${at}.${id}@a.test>`).join(' ') },
    })),
    from: { email: 'shop@example.com' },
    subject: 'x',
    content: [{ type: 'text/plain', value: 'x' }],
  });

/** Mailgun form whose field count a wrong reading of its type would miss. */
const field = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n';
const bomb = { type: 'multipart/form-data; x=";boundary=zzz"; boundary=b', fields: 500_000 };

type Sending = { path: string; type: string; body: string };
const json = (body: string): Sending => ({ path: 'sendgrid/v3/mail/send', type: 'application/json', body });
const largest = () => json(filled('a'.repeat(200), 'a'.repeat(200 * 100)));
/** Senders of simultaneous requests. A user's requests run one after the other. */
const senders = {
  'a request of each of four users': attackers,
  'two requests of each of four users': [...attackers, ...attackers],
  'four requests of one user': Array<User>(4).fill(mail.user),
};
const requests: Record<string, { make(): Sending; expected: number; who?: keyof typeof senders }> = {
  'a million places in a thousand mails': {
    make: () => json(filled('a', 'a'.repeat(1_000_000))),
    expected: 400,
  },
  'tags that a text almost has': {
    make: () => json(filled(`${'a'.repeat(99)}b${'a'.repeat(99)}`, 'a'.repeat(1_000_000))),
    expected: 400,
  },
  'as many places and mails as a request may have': {
    make: largest,
    expected: 202,
  },
  'the same of one user': { make: largest, expected: 202, who: 'four requests of one user' },
  'a thousand mails of a hundred references': { make: () => json(referring()), expected: 202 },
  'forms of half a million fields': {
    make: () => ({ path: 'mailgun/v3/shop.test/messages', type: bomb.type, body: field.repeat(bomb.fields) }),
    expected: 400,
    who: 'two requests of each of four users',
  },
};

async function post({ path, type, body }: Sending, { key }: User): Promise<number> {
  const authorization = type === 'application/json' ? `Bearer ${key}` : `Basic ${btoa(`api:${key}`)}`;
  const answer = await fetch(`${mail.program.baseUrl}/providers/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}

for (const [name, { make, expected, who = 'a request of each of four users' }] of Object.entries(requests)) {
  test(`nobody waits for ${who}: ${name}`, async () => {
    const sending = make();
    const attack = async () => {
      const statuses = await Promise.all(senders[who].map((user) => post(sending, user)));
      // Simultaneous bodies of many megabytes are refused by their bytes.
      assert.ok(
        statuses.every((status) => status === expected || status === 503),
        `${statuses}`,
      );
      assert.ok(statuses.includes(expected), `${statuses}`);
    };
    const harm = await measureHarm(mail.program, victim, attack, { sends: true, stores: expected === 202 });
    assertUnharmed(harm, { memoryBytes: 400e6 });
  });
}

test('requests whose clients hang up are not made', async () => {
  const { path, body } = largest();
  const bytes = requestBytes(`/providers/${path}`, body, { Authorization: `Bearer ${mail.user.key}` });
  const attack = async () => {
    const sockets = await Promise.all(Array.from({ length: 6 }, () => openSocket(mail.program)));
    for (const socket of sockets) socket.write(bytes);
    await paced(50);
    for (const socket of sockets) socket.destroy();
  };
  const before = await mail.count();
  assertUnharmed(await measureHarm(mail.program, victim, attack, { sends: true }), { memoryBytes: 400e6 });
  // A later request is answered after all that had started.
  assert.equal(await post(json(filled('b', 'c')), mail.user), 202);
  const taken = (await mail.count()) - before - 1000;
  assert.ok(taken < 3000, `${taken} mails of requests without a client were stored`);
});
