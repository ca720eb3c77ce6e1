import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { type TestContext, test } from 'node:test';
import { readConfig } from '#setup/config.ts';
import type { Limits, SmtpServices } from '#smtp/shared.ts';
import { recordWith } from '#test/once/conformance/mail.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { listen, memoryServices } from '#test/support/program/smtp-services.ts';
import { lasting } from '#test/support/runner/clocks.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';

async function start(t: TestContext, limits: Partial<Limits> = {}, replaced: Partial<SmtpServices> = {}) {
  const memory = memoryServices(replaced);
  return { ...memory, ...(await listen(t, memory.services, limits)) };
}

test('greets at once', async (t) => {
  const { port } = await start(t);
  const greeted = async () => {
    const client = new SmtpClient(port);
    assert.match(await client.reply(), /^220 mx\.test ESMTP/);
    client.destroy();
  };
  const median = await shortest(50, async () => {
    const times: number[] = [];
    for (let i = 0; i < 20; i++) times.push(await durationOf(greeted));
    return times.sort((a, b) => a - b)[10] ?? 0;
  });
  t.diagnostic(`median time to the greeting, connecting included: ${median.toFixed(2)} ms`);
  assert.ok(median < 50, `${median} ms`);
});

test('closes on a client that asks nothing for too long', async (t) => {
  const { port } = await start(t, { idleMs: 100, paceMs: 120 });
  const silent = new SmtpClient(port);
  await silent.reply();
  assert.match(await silent.reply(), /^421 4\.4\.2/);
  await silent.closed;
  const dripping = new SmtpClient(port);
  await dripping.reply();
  const drip = setInterval(() => dripping.socket.write('x'), 10);
  t.after(() => clearInterval(drip));
  assert.match(await dripping.reply(), /^421 4\.4\.2/);
});

test('breaks off a message that comes too slowly, and throws its body away', async (t) => {
  const { port, mails, bodies } = await start(t, { paceMs: 2000, paceBytes: 1000 });
  const client = await SmtpClient.open(port);
  await client.begin('s@s.test', ['x@known.test']);
  await client.write(Buffer.alloc(1_500_000, 'a'));
  assert.match(await client.reply(), /^421 4\.4\.2/);
  await client.closed;
  assert.deepEqual([mails.length, bodies.map((body) => body.state)], [0, ['discarded']]);
});

test('does not blame the client for a slow store', async (t) => {
  const { services, mails } = memoryServices();
  const { writeBody } = services.deliveries;
  const gate = Promise.withResolvers<void>();
  const deliveries = {
    ...services.deliveries,
    writeBody: () => ({ ...writeBody(), write: () => gate.promise }),
  };
  const { port } = await start(t, { paceMs: 2500, paceBytes: 1e9, idleMs: 2500 }, { deliveries });
  const client = await SmtpClient.open(port);
  await client.begin('s@s.test', ['x@known.test']);
  const sent = client.write(`${'a'.repeat(3_000_000)}\r\n.\r\n`);
  lasting(4000).then(gate.resolve);
  assert.match(await client.reply(), /^250 2\.6\.0/);
  await sent;
  assert.equal(mails.length, 1);
});

test('bounds connections, in all and for one address', async (t) => {
  const { port } = await start(t, { connections: 4, connectionsPerAddress: 2 });
  const first = await SmtpClient.open(port);
  const second = await SmtpClient.open(port);
  const refused = new SmtpClient(port);
  assert.match(await refused.reply(), /^421 4\.7\.0/);
  await refused.closed;
  await SmtpClient.open(port, '127.0.0.2');
  await SmtpClient.open(port, '127.0.0.2');
  assert.match(await new SmtpClient(port, '127.0.0.1', '127.0.0.3').reply(), /^421 4\.7\.0/);
  await first.quit();
  assert.match(await (await SmtpClient.open(port)).command('NOOP'), /^250/);
  second.destroy();
});

test('counts every open connection in the metrics', async (t) => {
  const { port, services } = await start(t, { connectionsPerAddress: 1 });
  const open = async () => (await services.metrics.smtpConnections.get()).values[0]?.value;
  const client = await SmtpClient.open(port);
  await new SmtpClient(port).reply();
  assert.equal(await open(), 1);
  await client.quit();
  assert.equal(await open(), 0);
});

test('a stop lets a connection send the mail that it has begun, or was opened for, and no other', async (t) => {
  const { port, smtp, mails } = await start(t, { drainIdleMs: 10_000, drainMs: 10_000 });
  const [fresh, begun, used] = [
    await SmtpClient.open(port),
    await SmtpClient.open(port),
    await SmtpClient.open(port),
  ];
  await begun.command('MAIL FROM:<s@s.test>');
  assert.match(await used.send('s@s.test', ['x@known.test'], 'a\r\n'), /^250/);
  const closed = smtp.close();
  assert.match(await used.reply(), /^421 4\.3\.2/);
  assert.match(await begun.command('RCPT TO:<x@known.test>'), /^250/);
  assert.match(await begun.command('DATA'), /^354/);
  await begun.write('b\r\n.\r\n');
  assert.match(await begun.reply(), /^250/);
  assert.match(await begun.reply(), /^421 4\.3\.2/);
  assert.match(await fresh.send('s@s.test', ['x@known.test'], 'c\r\n'), /^250/);
  assert.match(await fresh.reply(), /^421 4\.3\.2/);
  await closed;
  assert.equal(mails.length, 3);
});

test('a stop lets mail in DATA be finished, and ends all else', async (t) => {
  const { port, smtp, mails } = await start(t);
  const idle = await SmtpClient.open(port);
  const busy = await SmtpClient.open(port);
  await busy.begin('s@s.test', ['x@known.test']);
  await busy.write('Subject: half');
  const closed = smtp.close();
  assert.match(await idle.reply(), /^421 4\.3\.2/);
  await busy.write('\r\n\r\nwhole\r\n.\r\n');
  assert.match(await busy.reply(), /^250 2\.6\.0 stored as 1/);
  assert.match(await busy.reply(), /^421 4\.3\.2/);
  await closed;
  assert.equal(await new SmtpClient(port).reply(), '');
  assert.equal(mails.length, 1);
});

test('a stop ends what is sent by BDAT where no further chunk arrives', async (t) => {
  const { port, smtp, mails } = await start(t);
  const begun = async () => {
    const client = await SmtpClient.open(port);
    await client.command('MAIL FROM:<s@s.test>');
    await client.command('RCPT TO:<x@known.test>');
    return client;
  };
  const [between, within, last] = [await begun(), await begun(), await begun()];
  await between.write('BDAT 4\r\nhalf');
  assert.match(await between.reply(), /^250 2\.0\.0/);
  await within.write('BDAT 4\r\nha');
  await last.write('BDAT 4 LAST\r\nha');
  // Waits until the server has read the first parts.
  assert.match(await (await SmtpClient.open(port)).command('NOOP'), /^250/);
  const closed = smtp.close();
  assert.match(await between.reply(), /^421 4\.3\.2/);
  await within.write('lf');
  await last.write('lf');
  assert.match(await within.reply(), /^250 2\.0\.0/);
  assert.match(await within.reply(), /^421 4\.3\.2/);
  assert.match(await last.reply(), /^250 2\.6\.0/);
  await closed;
  assert.equal(mails.length, 1);
});

test('a message by BDAT that goes on too slowly is cut, whatever comes between', async (t) => {
  const { port, services } = await start(t, { paceMs: 240, paceBytes: 100 });
  const client = await SmtpClient.open(port);
  await client.command('MAIL FROM:<s@s.test>');
  await client.command('RCPT TO:<x@known.test>');
  await client.write('BDAT 1\r\na');
  assert.match(await client.reply(), /^250 2\.0\.0/);
  let reply = '250';
  while (reply.startsWith('250')) reply = await client.command('NOOP');
  assert.match(reply, /^421 4\.4\.2 Too slow/);
  const counted = await services.metrics.registry.metrics();
  assert.match(counted, /sandpost_limits_reached_total\{limit="smtp.paceBytes"\} 1/);
});

test('a stop ends a dialogue after the replies that it waits for', async (t) => {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const deliveries = {
    ...memoryServices().services.deliveries,
    lookUp: async () => {
      asked.resolve();
      await gate.promise;
      return null;
    },
  };
  const { port, smtp } = await start(t, {}, { deliveries });
  const client = await SmtpClient.open(port);
  await client.command('MAIL FROM:<s@s.test>');
  await client.write('RCPT TO:<x@known.test>\r\nRCPT TO:<y@known.test>\r\n');
  await asked.promise;
  const closed = smtp.close();
  gate.resolve();
  assert.match(await client.reply(), /^550 5\.7\.1/);
  assert.match(await client.reply(), /^550 5\.7\.1/);
  assert.match(await client.reply(), /^421 4\.3\.2/);
  await closed;
  assert.equal(await client.reply(), '');
});

test('a stop does not wait for ever', async (t) => {
  const { port, smtp } = await start(t, { drainMs: 100 });
  const busy = await SmtpClient.open(port);
  await busy.begin('s@s.test', ['x@known.test']);
  await smtp.close();
  assert.match(await busy.reply(), /^421/);
});

test('believes a PROXY line from the listed networks, and from nobody else', async (t) => {
  const proxies = new BlockList();
  proxies.addSubnet('127.0.1.0', 24, 'ipv4');
  const config = { ...readConfig({ SANDPOST_SMTP_PORT: '0' }), smtpProxyFrom: proxies };
  const seen: (string | null)[] = [];
  const { port } = await start(
    t,
    {},
    {
      config,
      examiner: {
        examine: async (_source, arrival) => {
          seen.push(arrival.remoteAddress);
          return recordWith();
        },
        close: async () => {},
      },
    },
  );
  const lines: [line: string, address: string][] = [
    ['PROXY TCP4 192.0.2.7 127.0.0.1 4000 25', '192.0.2.7'],
    ['PROXY TCP6 2001:DB8::7 ::1 4000 25', '2001:db8::7'],
    ['PROXY UNKNOWN', '127.0.1.1'],
  ];
  for (const [line, address] of lines) {
    const client = new SmtpClient(port, '127.0.0.1', '127.0.1.1');
    await client.write(`${line}\r\n`);
    assert.match(await client.reply(), /^220/);
    await client.command('EHLO c.test');
    assert.match(await client.send('s@s.test', ['x@known.test'], 'Subject: a\r\n\r\nb\r\n'), /^250/);
    assert.equal(seen.pop(), address);
    client.destroy();
  }
  for (const bad of ['EHLO c.test', 'PROXY TCP4 nonsense 1 2 3', 'PROXY TCP4 192.0.2.7', 'x'.repeat(2000)]) {
    const client = new SmtpClient(port, '127.0.0.1', '127.0.1.1');
    await client.write(`${bad}\r\n`);
    assert.equal(await client.reply(), '');
  }
  const stranger = await SmtpClient.open(port);
  assert.match(await stranger.command('PROXY TCP4 192.0.2.7 127.0.0.1 4000 25'), /^500/);
  assert.match(await stranger.send('s@s.test', ['x@known.test'], 'Subject: a\r\n\r\nb\r\n'), /^250/);
  assert.equal(seen.pop(), '127.0.0.1');
});

test('a proxy that sends no PROXY line is cut, and its place is free again', async (t) => {
  const proxies = new BlockList();
  proxies.addAddress('127.0.1.1', 'ipv4');
  const config = { ...readConfig({ SANDPOST_SMTP_PORT: '0' }), smtpProxyFrom: proxies };
  const { port } = await start(t, { handshakeMs: 200, connections: 2 }, { config });
  const silent = [1, 2].map(() => new SmtpClient(port, '127.0.0.1', '127.0.1.1'));
  for (const client of silent) await client.closed;
  const next = new SmtpClient(port, '127.0.0.1', '127.0.1.1');
  await next.write('PROXY TCP4 192.0.2.7 127.0.0.1 4000 25\r\n');
  assert.match(await next.reply(), /^220/);
  next.destroy();
});
