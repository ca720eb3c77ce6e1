import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { getRequest, openUnreadSocket } from '#test/support/hostile/requests.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { addAccounts, createUser, ok } from '#test/support/program/user.ts';

const { program, user: victim } = await scene({});
const attacker = await createUser(program, { storage_limit: 1_000_000_000 });

const fat = `Subject: ${'\u0001'.repeat(63_000)}\r\n\r\nhello\r\n`;

test('waits for pages of long mails, sent at once on one connection, harm nobody', async () => {
  const { cursor } = await ok(attacker.api.get('/api/messages'));
  const accounts = await addAccounts(attacker, 10);
  for (let mail = 0; mail < 19; mail += 1) await deliver(program, { to: accounts, raw: fat });
  const wait = getRequest(`/api/messages?wait=100&limit=200&count=200&since=${cursor}`, attacker.key);
  const socket = await openUnreadSocket(program.httpPort, wait.repeat(30));
  const harm = await measureHarm(program, victim, async () => {
    for (let mail = 0; mail < 9; mail += 1) await deliver(program, { to: attacker.address, raw: fat });
  });
  socket.destroy();
  assertUnharmed(harm);
});

test('six hundred waits of one user: a hundred wait, the others are refused, and nobody is harmed', async () => {
  const { cursor } = await ok(attacker.api.get('/api/messages'));
  const path = `/api/messages?wait=1&since=${cursor}&subject=never`;
  const seen = new Map<string, number>();
  const harm = await measureHarm(program, victim, async () => {
    for (let round = 0; round < 3; round += 1) {
      const answers = Array.from({ length: 200 }, () => attacker.api.get(path));
      if (round === 0) await deliver(program, { to: attacker.address });
      for (const { status, headers, json } of await Promise.all(answers)) {
        const answer = status === 429 ? json.code : headers['x-wait-result'];
        if (status === 429) assert.ok(headers['retry-after']);
        seen.set(answer, (seen.get(answer) ?? 0) + 1);
      }
    }
  });
  assertUnharmed(harm);
  assert.deepEqual([...seen.keys()].sort(), ['timeout', 'too_many_waits']);
  assert.ok((seen.get('timeout') ?? 0) >= 100);
});

test('a hundred waits that differ are each exact while mails arrive', async () => {
  const { cursor } = await ok(attacker.api.get('/api/messages'));
  const wait = async (count: number, subject: string) => {
    const path = `/api/messages?wait=60&since=${cursor}&count=${count}&limit=200&subject=${subject}`;
    const { status, headers, json } = await attacker.api.get(path);
    assert.equal(status, 200);
    assert.equal(headers['x-wait-result'], 'met');
    assert.ok(json.items.length >= count);
    for (const item of json.items) assert.ok(item.subject.includes(subject));
  };
  const waits = Array.from({ length: 90 }, (_, at) => wait(1 + (at % 10), at % 2 === 0 ? 'even' : 'odd'));
  const harm = await measureHarm(program, victim, async () => {
    for (let mail = 0; mail < 20; mail += 1) {
      await deliver(program, {
        to: attacker.address,
        subject: mail % 2 === 0 ? 'an even one' : 'an odd one',
      });
    }
    await Promise.all(waits);
  });
  assertUnharmed(harm);
});

test('a hundred waits that tell near misses among long mails harm nobody', async () => {
  const { cursor } = await ok(attacker.api.get('/api/messages'));
  const text = 'Grüße aus Zürich, word \u{1f600} '.repeat(30_000);
  for (let mail = 0; mail < 6; mail += 1)
    await deliver(program, { to: attacker.address, subject: 'long', text, html: `<p>${text}</p>` });
  const path = `/api/messages?wait=1&explain=1&since=${cursor}&is_flagged=true&unread=false`;
  const harm = await measureHarm(program, victim, async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => attacker.api.get(path)));
    for (const { status } of answers) assert.equal(status, 200);
  });
  assertUnharmed(harm);
  assert.equal((await ok(attacker.api.get(path))).near_misses.length, 5);
});
