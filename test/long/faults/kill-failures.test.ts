import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { moment } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';
import { CountedRefusals } from './counted-refusals.ts';

const rounds = 6;
const connections = 6;
const times = 300;

test(`kill -9 at ${rounds} random moments refuses no more often than a rule says`, async (context) => {
  const settings = { SANDPOST_DATA_DIR: await temporaryDir() };
  let program = await startProgram(settings);
  context.after(() => program.kill());
  const user = await createUser(program, { domain: 'kill.test' });
  const { id } = await ok(user.api.post('/api/failures', { times }));
  const counted = new CountedRefusals();
  const counting = async (enough: () => boolean) => {
    const stop = new AbortController();
    const senders = Array.from({ length: connections }, () =>
      counted.name(program.smtpPort, user.address, stop.signal),
    );
    await until(enough);
    return async () => {
      stop.abort();
      await Promise.all(senders);
    };
  };
  for (let round = 1; round <= rounds; round += 1) {
    const before = counted.refused;
    const end = await counting(() => counted.refused > before + 15 || counted.taken > 0);
    await moment(randomInt(0, 20));
    await program.kill();
    await end();
    program = await startProgram(settings);
  }
  const api = new HttpClient(program, { 'x-api-key': user.key });
  const { hits } = await ok(api.get(`/api/failures/${id}`));
  assert.ok(
    counted.refused <= hits && hits <= counted.refused + counted.unanswered,
    'each refusal was counted',
  );
  await (await counting(() => counted.taken > 0))();
  assert.equal((await ok(api.get(`/api/failures/${id}`))).hits, times);
  assert.ok(counted.refused <= times && times <= counted.refused + counted.unanswered);
  context.diagnostic(`${counted.refused} refusals, ${counted.unanswered} without an answer, of ${times}`);
  await program.stop();
});

test('a counted address goes on counting after kill -9', async (context) => {
  const settings = { SANDPOST_DATA_DIR: await temporaryDir() };
  let program = await startProgram(settings);
  context.after(() => program.kill());
  const { api, account, domain } = await createUser(program);
  await ok(api.patch(`/api/accounts/${account.id}`, { simulates_failures: true }));
  for (const wanted of ['451', '451', '250']) {
    const client = await SmtpClient.open(program.smtpPort);
    const reply = await client.send(
      's@sender.test',
      [`qa+fail-451x2@${domain.domain}`],
      'Subject: a\r\n\r\na\r\n',
    );
    assert.equal(reply.slice(0, 3), wanted);
    await program.kill();
    client.destroy();
    program = await startProgram(settings);
  }
  await program.stop();
});
