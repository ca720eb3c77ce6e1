import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { getRequest, openUnreadSocket } from '#test/support/hostile/requests.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { addAccounts, createUser, ok } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { shortest } from '#test/support/runner/shortest.ts';

const { program, user: victim } = await scene({});
await deliverOne(program, { to: victim.address, subject: 'needle', text: 'A short text' });
const attacker = await createUser(program, { storage_limit: 1_000_000_000 });
const raw = `Subject: long\r\n\r\n${`${'a'.repeat(998)}\r\n`.repeat(1000)}`;
const accounts = await addAccounts(attacker, 10);
for (let mail = 0; mail < 6; mail += 1) await deliver(program, { to: accounts, raw });

const slow = (index: number) => `/api/messages?q=${'a'.repeat(90)}c+${'a'.repeat(90)}d${index}`;

/** Maximum time in ms of a victim's request. */
const most = 500;

/** Measures the victim's requests, one after the other, while `attack` runs. Returns the longest time. */
async function harm(attack: () => Promise<unknown>): Promise<number> {
  const worst = { to: 0, q: 0 };
  let attacking = true;
  const repeat = async (kind: keyof typeof worst, query: string) => {
    while (attacking) {
      const begun = performance.now();
      const { items } = await ok(victim.api.get(`/api/messages?${query}`));
      assert.ok(items.length > 0);
      worst[kind] = Math.max(worst[kind], performance.now() - begun);
      await paced(30);
    }
  };
  const probes = [repeat('to', `to=${victim.address}`), repeat('q', 'q=needle+short')];
  try {
    await attack();
  } finally {
    attacking = false;
    await Promise.all(probes);
  }
  return Math.max(worst.to, worst.q);
}

test('slow searches of one user delay neither the lists nor the searches of another', async () => {
  let worst = 0;
  const statuses: number[] = [];
  const attack = async () => {
    worst = await harm(async () => {
      for (let round = 0; round < 3; round += 1) {
        const answers = Array.from({ length: 20 }, (_, index) => attacker.api.get(slow(index)));
        for (const { status, json } of await Promise.all(answers)) {
          statuses.push(status);
          if (status === 429) assert.equal(json.code, 'too_many_searches');
        }
      }
    });
  };
  const ms = await shortest(most, async () => {
    assertUnharmed(await measureHarm(program, await createUser(program), attack));
    return worst;
  });
  assert.ok(ms <= most, `${ms} ms`);
  assert.ok(statuses.filter((status) => status === 429).length >= 50, `${statuses}`);
  assert.ok(statuses.includes(200) || statuses.includes(503), `${statuses}`);
});

test('searches whose clients left are given up', async () => {
  const leave = async () => {
    for (let round = 0; round < 40; round += 1) {
      const socket = await openUnreadSocket(program.httpPort, getRequest(slow(round), attacker.key));
      await paced(20);
      socket.destroy();
    }
  };
  const ms = await shortest(most, () => harm(leave));
  assert.ok(ms <= most, `${ms} ms`);
  const begun = performance.now();
  await ok(attacker.api.get('/api/messages?q=long&limit=1'));
  assert.ok(performance.now() - begun < 2000, 'none of them is counted any longer');
});

test('waits that search take their turns', async () => {
  const wait = async () => {
    const waits = Array.from({ length: 4 }, (_, index) =>
      attacker.api.get(`${slow(index)}&wait=2&count=200`),
    );
    for (let mail = 0; mail < 5; mail += 1)
      await deliver(program, { to: attacker.address, raw: 'Subject: a\r\n\r\naaac\r\n' });
    for (const { status } of await Promise.all(waits))
      assert.ok(status === 200 || status === 503, `${status}`);
  };
  const ms = await shortest(most, () => harm(wait));
  assert.ok(ms <= most, `${ms} ms`);
});

test('searches in long headers delay nobody', async () => {
  const other = await createUser(program);
  const fields = Array.from({ length: 8000 }, (_, at) => `X-${at}: a\r\n`).join('');
  const to = await addAccounts(other, 10);
  for (let mail = 0; mail < 6; mail += 1)
    await deliver(program, { to, raw: `${fields}Subject: long\r\n\r\nHello\r\n` });
  const terms = Array.from({ length: 40 }, (_, at) => `-header:x-${at}=z`).join('+');
  const attack = async () => {
    const asked = Array.from({ length: 6 }, () => other.api.get(`/api/messages?q=${terms}`));
    for (const { status } of await Promise.all(asked))
      assert.ok([200, 429, 503].includes(status), `${status}`);
  };
  assertUnharmed(await measureHarm(program, victim, attack));
});

const odd = [
  '%00',
  'a%00b',
  '%01%1f',
  '.*',
  '(',
  '[',
  '\\',
  '%5C%00',
  '%F0%9F%98%80',
  '%22%00%22',
  'a'.repeat(200),
];

for (const text of odd) {
  test(`a filter may be ${text.slice(0, 20)}`, async () => {
    for (const name of ['q', 'to', 'from', 'subject', 'mailbox']) {
      const { status, json } = await victim.api.get(`/api/messages?${name}=${text}`);
      assert.deepEqual([status, json.items], [200, []], `${name}=${text}`);
    }
  });
}
