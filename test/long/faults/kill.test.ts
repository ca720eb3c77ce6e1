import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { moment } from '#test/support/runner/clocks.ts';
import { Ledger } from './ledger.ts';

const rounds = 8;
const connections = 8;

test(`kill -9 at ${rounds} random moments under load loses nothing that was answered with 250`, async (context) => {
  await using dns = await startDnsServer();
  const dataDir = await temporaryDir();
  const settings = { SANDPOST_DATA_DIR: dataDir, SANDPOST_DNS_SERVERS: dns.address };
  const ledger = new Ledger();
  let program = await startProgram(settings);
  context.after(() => program.kill());
  const user = await createUser(program, { domain: 'kill.test', storage_limit: 2 ** 36 });
  await ok(user.api.patch(`/api/accounts/${user.account.id}`, { is_capture: true }));
  for (let round = 1; round <= rounds; round += 1) {
    const stop = new AbortController();
    const senders = Array.from({ length: connections }, (_, index) =>
      ledger.send(program, user.address, stop.signal, index % 2 === 0 ? {} : { key: user.key }),
    );
    await ledger.next();
    await moment(randomInt(0, 400));
    await program.kill();
    stop.abort();
    await Promise.all(senders);
    program = await startProgram(settings);
  }
  await ledger.verify(program, user);
  await program.stop();
  context.diagnostic(
    `${ledger.promised.size} mails answered with 250, ${ledger.unanswered} without an answer, 0 lost`,
  );
});
