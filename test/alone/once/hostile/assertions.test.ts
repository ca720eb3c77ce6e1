import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { openSocket, requestBytes, statuses } from '#test/support/hostile/raw-request.ts';
import { startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await forAllTests(startProgram());
const attacker = await createUser(program, { storage_limit: 1_000_000_000 });

test('regular expressions that explode delay nobody else, nor the assertions of others', async () => {
  const text = `${'a'.repeat(60)}!\r\n${'b c '.repeat(200_000)}`;
  await deliverOne(program, { to: attacker.address, text });
  const patterns = ['(a+)+$', '(\\w+\\s?)*$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*)*x{9}'];
  const expect = Array.from({ length: 100 }, (_, at) => ({
    text: { matches: patterns[at % patterns.length] },
  }));
  const find = { address: attacker.address };
  const victim = await createUser(program);
  await deliverOne(program, { to: victim.address, subject: 'Hello' });
  const own = { find: { address: victim.address }, expect: [{ subject: { matches: '^Hello$' } }] };
  const statuses: number[] = [];
  const attack = async () => {
    const asked = Array.from({ length: 6 }, () => attacker.api.post('/api/assert', { find, expect }));
    let done = 0;
    for (const one of asked)
      one.then(({ status }) => {
        statuses.push(status);
        done += 1;
      });
    let answered = 0;
    while (done < 5) {
      assert.equal((await victim.api.post('/api/assert', own)).status, 200);
      // Counts while some of the attacker's requests are answered and some wait.
      if (done > 0) answered += 1;
    }
    await Promise.all(asked);
    // A user who waited for the attacker's expressions would get one response per attacker response.
    assert.ok(answered > 16, `${answered} beside four`);
  };
  assertUnharmed(await measureHarm(program, await createUser(program), attack));
  const unexpected = statuses.filter((status) => ![417, 429, 503].includes(status));
  assert.deepEqual(unexpected, []);
});

test('regular expressions that are long to parse delay nobody else', async () => {
  const expect = Array(50).fill({ text: { matches: '\\p{L}'.repeat(200) } });
  const statuses: number[] = [];
  const attack = async () => {
    const asked = Array.from({ length: 3 }, () => attacker.api.post('/api/assert', { find: {}, expect }));
    for (const { status } of await Promise.all(asked)) statuses.push(status);
  };
  assertUnharmed(await measureHarm(program, await createUser(program), attack));
  const unexpected = statuses.filter((status) => ![417, 429, 503].includes(status));
  assert.deepEqual(unexpected, []);
});

test('comparisons of hostile mails delay nobody else', async () => {
  const mail = (html: string) => `Content-Type: text/html\r\n\r\n${html}`;
  const raws = [
    mail('<div>'.repeat(90_000)),
    mail('<b style=1 class=2>a'.repeat(20_000)),
    `\r\n${Array.from({ length: 60_000 }, (_, at) => at).join('\n')}`,
    `\r\n${Array.from({ length: 60_000 }, (_, at) => -at).join('\n')}`,
    `\r\n${'a-'.repeat(200_000)}`,
    `\r\n${'http://'.repeat(70_000)}`,
  ];
  const victim = await createUser(program);
  const sides = { left: { raw: raws[0] }, right: { raw: raws[0] } };
  const statuses: number[] = [];
  const attack = async () => {
    const begun = statuses.length;
    const asked = raws.map((raw, at) =>
      attacker.api.post('/api/compare', {
        left: { raw },
        right: { raw: raws[(at + 1) % raws.length] },
        mask: ['ids', 'dates', 'codes', 'queries'],
      }),
    );
    for (const one of asked) one.then(({ status }) => statuses.push(status));
    // The others wait by then.
    await Promise.race(asked);
    const { status } = await victim.api.post('/api/compare', sides);
    // A user who waited for the attacker's comparisons would be answered after them.
    assert.ok(statuses.length < begun + raws.length);
    assert.equal(status, 200);
    await Promise.all(asked);
  };
  assertUnharmed(await measureHarm(program, victim, attack));
  const unexpected = statuses.filter((status) => ![200, 429, 503].includes(status));
  assert.deepEqual(unexpected, []);
});

test('comparisons of large messages delay nobody else', async () => {
  const content = Buffer.alloc(5_500_000, 'a');
  const id = await deliverOne(program, { to: attacker.address, attachments: [{ filename: 'a', content }] });
  const sides = JSON.stringify({ left: { message_id: id }, right: { message_id: id } });
  const bytes = requestBytes('/api/compare', sides, { 'X-API-KEY': attacker.key });
  const found: number[] = [];
  const attack = async () => {
    const begun = found.length;
    const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(program)));
    for (const socket of sockets) {
      socket.write(bytes);
      statuses(socket, 1).then((one) => found.push(...one));
    }
    // The first comparisons show the harm of all: one runs at a time.
    await until(() => found.slice(begun).filter((status) => status === 200).length >= 6);
    for (const socket of sockets) socket.destroy();
  };
  assertUnharmed(await measureHarm(program, await createUser(program), attack));
  assert.ok(found.includes(429), `${found}`);
  const unexpected = found.filter((status) => ![200, 429, 503].includes(status));
  assert.deepEqual(unexpected, []);
});
