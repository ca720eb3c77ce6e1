import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BodyWriter } from '#core/delivery/delivery.ts';
import { StoreFull, StoreUnavailable } from '#core/errors.ts';
import type { SmtpServices } from '#smtp/shared.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { listen, memoryServices } from '#test/support/program/smtp-services.ts';
import { until } from '#test/support/runner/until.ts';

const to = ['x@known.test'];
const small = 'Subject: a\r\n\r\nb\r\n';
const large = `Subject: a\r\n\r\n${`${'0123456789abcdef'.repeat(4)}\r\n`.repeat(40_000)}`;

async function start(t: TestContext, replaced: Partial<SmtpServices> = {}) {
  const memory = memoryServices(replaced);
  const { port } = await listen(t, memory.services);
  const client = await SmtpClient.open(port);
  t.after(() => client.destroy());
  return { ...memory, client };
}

test('keeps mail up to 1 MiB in memory, and streams a larger one in pieces', async (t) => {
  const { client, mails, bodies } = await start(t);
  for (const size of [0, 1, 1_048_576, 1_048_577, 1_572_864, 3_000_000]) {
    const message = Buffer.alloc(size, 'x\r\n');
    assert.match(await client.send('s@s.test', to, message), /^250 2\.6\.0/);
    const mail = mails.pop();
    // DATA ends at a line end. The terminator adds a line end to a message that lacks one.
    const whole = size % 3 === 0 ? message : Buffer.concat([message, Buffer.from('\r\n')]);
    const streamed = bodies.pop();
    assert.equal(streamed !== undefined, whole.length > 1_048_576, `${size}`);
    if (streamed)
      assert.ok(
        streamed.pieces.every((piece, at) => piece.length === 262_144 || at === streamed.pieces.length - 1),
      );
    const bytes = streamed ? Buffer.concat(streamed.pieces) : mail && 'bytes' in mail.body && mail.body.bytes;
    assert.ok(bytes && whole.equals(bytes), `${size}`);
    assert.equal(mail?.sizeBytes, whole.length);
  }
});

test('throws an oversized body away before it has ended, and takes the next mail', async (t) => {
  const { client, mails, bodies } = await start(t, { maxMessageBytes: 2_000_000 });
  assert.match(await client.command('MAIL FROM:<s@s.test> SIZE=2000001'), /^552 5\.3\.4/);
  await client.begin('s@s.test', to);
  await client.write('a'.repeat(1_900_000));
  await client.write('a'.repeat(8_000_000));
  await until(() => bodies[0]?.state === 'discarded');
  await client.write('\r\nMAIL FROM:<s@s.test>\r\nRCPT TO:<x@known.test>\r\nDATA\r\nno\r\n.\r\n');
  assert.match(await client.reply(), /^552 5\.3\.4/);
  assert.match(await client.send('s@s.test', to, small), /^250 2\.6\.0/);
  assert.equal(mails.length, 1);
});

test('throws the body of a lost connection away', async (t) => {
  const { client, mails, bodies } = await start(t);
  await client.begin('s@s.test', to);
  await client.write(large);
  client.destroy();
  await until(() => bodies[0]?.state === 'discarded');
  assert.equal(mails.length, 0);
});

test('a fault of the store is temporary, and the connection goes on', async (t) => {
  const faults: [Error, RegExp][] = [
    [new StoreUnavailable('down'), /^451 4\.3\.0/],
    [new StoreFull('full'), /^452 4\.3\.1/],
    [new TypeError('a bug'), /^451 4\.3\.0/],
  ];
  for (const [error, reply] of faults) {
    let broken: 'lookUp' | 'commit' | 'write' | 'finish' | 'examine' | null = 'lookUp';
    const memory = memoryServices();
    const guard = <T>(part: typeof broken, result: T): T => {
      if (broken === part) throw error;
      return result;
    };
    const { services } = memory;
    const { client, bodies } = await start(t, {
      ...services,
      deliveries: {
        ...services.deliveries,
        commit: async (mails) => guard('commit', await services.deliveries.commit(mails)),
        lookUp: async (domain, addresses) =>
          guard('lookUp', await services.deliveries.lookUp(domain, addresses)),
        writeBody: (): BodyWriter => {
          const writer = services.deliveries.writeBody();
          return {
            ...writer,
            write: async (piece) => guard('write', await writer.write(piece)),
            finish: async () => guard('finish', await writer.finish()),
          };
        },
      },
      examiner: {
        ...services.examiner,
        examine: async (source, arrival) =>
          guard('examine', await services.examiner.examine(source, arrival)),
      },
    });
    await client.command('MAIL FROM:<s@s.test>');
    assert.match(await client.command('RCPT TO:<x@known.test>'), reply);
    assert.match(await client.command('DATA'), /^503 5\.5\.1/);
    await client.command('RSET');
    for (const part of ['commit', 'write', 'finish', 'examine'] as const) {
      broken = part;
      assert.match(await client.send('s@s.test', to, large), reply, part);
    }
    broken = null;
    assert.match(await client.send('s@s.test', to, small), /^250 2\.6\.0/);
    // A commit that reported a failure may have succeeded. Its body stays, and the store removes it if it has no message.
    const states = memory.bodies.map((body) => body.state);
    assert.deepEqual(states, ['finished', 'discarded', 'finished', 'finished']);
    assert.equal(bodies.length, 0);
  }
});

test('a mail that one recipient prevents is not stored, and its body is discarded', async (t) => {
  const { services, bodies } = memoryServices();
  const { client } = await start(t, {
    deliveries: {
      ...services.deliveries,
      commit: async () => [{ reason: 'no-room', address: 'x@known.test' }],
    },
  });
  assert.match(await client.send('s@s.test', to, large), /^552 5\.2\.2 <x@known\.test>/);
  const states = bodies.map((body) => body.state);
  assert.deepEqual(states, ['discarded']);
});

test('refuses a mail that runs in a loop', async (t) => {
  const { client, bodies } = await start(t);
  const received = (count: number) =>
    'Received: from a by b; Sat, 21 Nov 2026 10:00:00 +0000\r\n'.repeat(count);
  assert.match(await client.send('s@s.test', to, received(100) + small), /^250/);
  assert.match(await client.send('s@s.test', to, received(101) + small), /^554 5\.4\.6/);
  assert.match(await client.send('s@s.test', to, received(101) + large), /^554 5\.4\.6/);
  assert.match(await client.send('s@s.test', to, small + received(200)), /^250/);
  assert.equal(bodies.length, 0);
});
