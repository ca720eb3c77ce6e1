import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { verdictOf } from '#core/failures/choose-failure.ts';
import { Delays } from '#gate/delays.ts';
import { MailRoom } from '#gate/mail-room.ts';
import type { SmtpServices } from '#smtp/shared.ts';
import { recordWith } from '#test/once/conformance/mail.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { listen, memoryServices } from '#test/support/program/smtp-services.ts';
import { until } from '#test/support/runner/until.ts';

/** Sends emails of nearly 1 MiB, each to its own domain: `3.known.test` belongs to team 3. */
async function sendLarge(port: number, teams: number[]): Promise<SmtpClient[]> {
  const clients: SmtpClient[] = [];
  for (const team of teams) {
    const client = await SmtpClient.open(port);
    await client.begin('s@s.test', [`x@${team}.known.test`]);
    await client.write(`Subject: a\r\n\r\n${`${'a'.repeat(998)}\r\n`.repeat(900)}.\r\n`);
    clients.push(client);
  }
  return clients;
}

/** Listens for many teams' domains, and examines email once `go` resolves. `begun` counts each payer's emails. */
async function start(t: TestContext, go: Promise<void>, replaced: Partial<SmtpServices> = {}) {
  const begun = new Map<string, number>();
  const { deliveries } = memoryServices().services;
  const { services } = memoryServices({
    deliveries: {
      ...deliveries,
      async lookUp(name, addresses) {
        const answer = await deliveries.lookUp('known.test', addresses);
        const owner = Number.parseInt(name, 10);
        return answer && { ...answer, domain: { ...answer.domain, owner, failures: 1 } };
      },
    },
    mailRoom: new MailRoom({ of: async (team) => team % 10 }),
    examiner: {
      async examine(_source, { payer }) {
        begun.set(`${payer}`, (begun.get(`${payer}`) ?? 0) + 1);
        await go;
        return recordWith();
      },
      close: async () => {},
    },
    ...replaced,
  });
  const { port } = await listen(t, services);
  return { port, begun };
}

test('mail of a payer waits while much of it is examined and stored, and mail of others does not', async (t) => {
  const { promise: go, resolve } = Promise.withResolvers<void>();
  const { port, begun } = await start(t, go);
  const clients = await sendLarge(port, [1, 11, 21, 31, 41, 51, 2]);
  await until(() => begun.get('2') === 1);
  assert.equal(begun.get('1'), 4);
  resolve();
  for (const client of clients) assert.match(await client.reply(), /^250 /);
  assert.equal(begun.get('1'), 6);
});

test('mail that is delayed on purpose leaves its place to other mail of its payer', async (t) => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let delayed = 0;
  const delays = new Delays({ of: async (team) => team }, () => {});
  delays.wait = () => {
    delayed += 1;
    return over;
  };
  const { port } = await start(t, Promise.resolve(), {
    failureSimulator: {
      simulate: async ({ stage }) => ({ ...verdictOf([], false), delayMs: stage === 'end' ? 60_000 : 0 }),
    },
    delays,
  });
  const clients = await sendLarge(port, [1, 11, 21, 31, 41, 51]);
  await until(() => delayed === 6);
  resolve();
  for (const client of clients) assert.match(await client.reply(), /^250 /);
});
