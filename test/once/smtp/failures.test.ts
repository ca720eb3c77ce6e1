import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FailureContext } from '#core/delivery/failure-simulator.ts';
import { type FailureVerdict, verdictOf } from '#core/failures/choose-failure.ts';
import type { Stage } from '#core/failures/failure.ts';
import { Delays } from '#gate/delays.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { configOf, listen, memoryServices } from '#test/support/program/smtp-services.ts';
import { until } from '#test/support/runner/until.ts';

const to = ['x@known.test'];
const message = 'Subject: a\r\n\r\nb\r\n';
/** Delay that no test waits out. */
const delayMs = 60_000;

type Failures = { [S in Stage]?: Partial<FailureVerdict> };

/** Starts a listener whose commands and emails meet failures, which the test can change. */
async function start(t: TestContext, failures: Failures = {}) {
  const met: FailureContext[] = [];
  const reached: string[] = [];
  const memory = memoryServices({
    config: configOf({ SANDPOST_SMTP_TLS: 'self-signed', SANDPOST_SMTPS_PORT: '0' }),
    delays: new Delays({ of: async (team) => team }, (name) => reached.push(name)),
    failureSimulator: {
      async simulate(failureContext) {
        met.push(failureContext);
        return { ...verdictOf([], false), ...failures[failureContext.stage] };
      },
    },
  });
  const { services } = memory;
  const known = await services.deliveries.lookUp('known.test', []);
  assert.ok(known);
  const answer = { ...known, domain: { ...known.domain, failures: 1 } };
  services.deliveries = { ...services.deliveries, lookUp: async () => answer };
  const { smtp, port, tlsPort } = await listen(t, services);
  const clients: SmtpClient[] = [];
  const open = async () => {
    const client = await SmtpClient.open(port);
    clients.push(client);
    return client;
  };
  t.after(() => {
    for (const client of clients) client.destroy();
  });
  const connections = async () => (await services.metrics.smtpConnections.get()).values[0]?.value;
  return { ...memory, failures, met, reached, open, connections, tlsPort, smtp };
}

test('a refusal at each stage replaces the reply, and the next mail is taken', async (t) => {
  const it = await start(t);
  const client = await it.open();
  const cases: [Stage, FailureVerdict['reply'], number, RegExp][] = [
    ['rcpt', { code: 451, text: '4.7.1 Try again' }, 1, /^451 4\.7\.1 Try again$/],
    ['data', { code: 452, text: '4.2.2 Not now' }, 2, /^452 4\.2\.2 Not now$/],
    ['end', { code: 554, text: '5.6.0 No' }, 3, /^554 5\.6\.0 No$/],
    ['end', { code: 450, text: 'Without a code' }, 3, /^450 (?:4\.\d\.\d )?Without a code$/],
  ];
  for (const [stage, reply, stages, wanted] of cases) {
    Object.assign(it.failures, { rcpt: {}, data: {}, end: {}, [stage]: { reply } });
    it.met.length = 0;
    assert.match(await client.send('s@s.test', to, message), wanted);
    assert.equal(it.met.length, stages);
    await client.command('RSET');
    Object.assign(it.failures, { [stage]: undefined });
    assert.match(await client.send('s@s.test', to, message), /^250 2\.6\.0/);
  }
  assert.equal(it.mails.length, cases.length);
  const [first] = it.met;
  assert.deepEqual([first?.team, first?.version, first?.mailFrom, first?.isAlone], [1, 1, 's@s.test', true]);
});

test('a refusal of DATA ends a transaction by BDAT, whose chunks are no commands', async (t) => {
  const it = await start(t, { data: { reply: { code: 451, text: '4.3.2 Not now' } } });
  const client = await it.open();
  assert.match(await client.sendChunks('s@s.test', to, Buffer.from(message)), /^451 4\.3\.2/);
  const long = Buffer.from(message.repeat(200));
  assert.match(await client.sendChunks('s@s.test', to, long), /^503 5\.5\.1/);
  it.failures.data = {};
  assert.match(await client.sendChunks('s@s.test', to, long), /^250 2\.6\.0/);
  assert.deepEqual(
    it.mails.map(({ sizeBytes }) => sizeBytes),
    [long.length],
  );
});

test('421 closes the connection', async (t) => {
  const it = await start(t, { rcpt: { reply: { code: 421, text: '4.7.0 Too much' } } });
  const client = await it.open();
  await client.command('MAIL FROM:<s@s.test>');
  assert.match(await client.command('RCPT TO:<x@known.test>'), /^421 4\.7\.0/);
  await client.closed;
});

for (const cut of ['drop', 'reset'] as const) {
  test(`${cut} ends the connection without a reply, with TLS or without`, async (t) => {
    const it = await start(t);
    for (const stage of ['rcpt', 'data', 'end'] as const) {
      Object.assign(it.failures, { rcpt: {}, data: {}, end: {}, [stage]: { cut } });
      const plain = await it.open();
      const upgraded = await (await it.open()).startTls();
      await upgraded.command('EHLO client.test');
      for (const client of [plain, upgraded, await SmtpClient.openTls(it.tlsPort)]) {
        const errors: string[] = [];
        client.socket.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? ''));
        for (const line of ['MAIL FROM:<s@s.test>', 'RCPT TO:<x@known.test>', 'DATA', `${message}.`])
          if ((await client.command(line)) === '') break;
        assert.equal(await client.reply(), '');
        client.socket.end();
        await client.closed;
        assert.deepEqual(errors, cut === 'reset' ? ['ECONNRESET'] : []);
      }
    }
    assert.deepEqual(it.mails, []);
    await until(async () => (await it.connections()) === 0);
  });
}

test('a delay ends when the client closes or the server stops', async (t) => {
  const it = await start(t, {
    rcpt: { delayMs, reply: { code: 451, text: '4.7.1 Late' } },
    end: { delayMs },
  });
  const away = await it.open();
  await away.write('MAIL FROM:<s@s.test>\r\nRCPT TO:<x@known.test>\r\n');
  await until(() => it.met.length === 1);
  away.destroy();
  const [refused, storing] = [await it.open(), await it.open()];
  await refused.write('MAIL FROM:<s@s.test>\r\nRCPT TO:<x@known.test>\r\n');
  await until(() => it.met.length === 2);
  it.failures.rcpt = {};
  await storing.begin('s@s.test', to);
  await storing.write(`${message}.\r\n`);
  await until(() => it.met.filter(({ stage }) => stage === 'end').length === 1);
  const closed = it.smtp.close();
  await refused.reply();
  assert.match(await refused.reply(), /^451 4\.7\.1 Late/);
  assert.match(await refused.reply(), /^421 4\.3\.2/);
  assert.match(await storing.reply(), /^250 2\.6\.0/);
  await closed;
});

test('the 21st session of a team is not delayed, until another ends', async (t) => {
  const it = await start(t, { rcpt: { delayMs } });
  const waiting = [];
  for (let count = 1; count <= 20; count += 1) {
    const client = await it.open();
    await client.write('MAIL FROM:<s@s.test>\r\nRCPT TO:<x@known.test>\r\n');
    await client.reply();
    waiting.push(client);
  }
  await until(() => it.met.length === 20);
  const next = await it.open();
  await next.command('MAIL FROM:<s@s.test>');
  assert.match(await next.command('RCPT TO:<x@known.test>'), /^250/);
  assert.deepEqual(it.reached, ['mail.delays']);
  const [first] = waiting;
  first?.destroy();
  await until(async () => (await it.connections()) === 20);
  await next.command('RSET');
  await next.write('MAIL FROM:<s@s.test>\r\nRCPT TO:<x@known.test>\r\n');
  await next.reply();
  await until(() => it.met.length === 22);
  assert.deepEqual(it.reached, ['mail.delays']);
});
