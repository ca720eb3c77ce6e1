import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { StreamClient } from '#test/support/clients/stream-client.ts';
import { startCluster } from '#test/support/program/cluster.ts';
import { createUser } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';

const mails = 1_500;
const restarts = 4;
const streamCount = 12;
const connections = 16;

test(`${mails} mails while two API pods restart in turn ${restarts} times: ${streamCount} streams see each event once, in order`, {
  timeout: 500_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using started = new AsyncDisposableStack();
  const cluster = started.use(await startCluster({ mongodbUri: mongo.uri }));
  const [first] = cluster.api;
  assert.ok(first);
  const user = await createUser(first, { storage_limit: 2 ** 36 });
  const streams = Array.from({ length: streamCount }, (_, index) =>
    started.use(new StreamClient(cluster.api, user.key, index)),
  );
  const begun = performance.now();
  let sent = 0;
  let answered = 0;
  let restarting = true;
  const send = async (index: number) => {
    const client = await SmtpClient.open(cluster.smtp[index % 2]?.smtpPort ?? 0);
    while (sent < mails || restarting) {
      sent += 1;
      const raw = `From: a@example.com\r\nTo: ${user.address}\r\nSubject: rolling\r\n\r\nHello\r\n`;
      assert.match(await client.send('a@example.com', [user.address], raw), /^250 /);
      answered += 1;
    }
    await client.quit();
  };
  const senders = Promise.all(Array.from({ length: connections }, (_, index) => send(index)));
  let failed = false;
  senders.catch(() => {
    failed = true;
  });
  const codes: (number | null)[] = [];
  for (let restart = 0; restart < restarts; restart += 1) {
    const due = ((restart + 1) * mails) / (restarts + 2);
    await Promise.race([senders, until(() => failed || answered >= due, 60_000, 20)]);
    const pod = cluster.api[restart % 2];
    codes.push((await pod?.stop()) ?? null);
    await pod?.start();
  }
  restarting = false;
  await senders;
  const seconds = (performance.now() - begun) / 1000;
  await until(() => streams.every(({ last }) => last >= sent));
  const behindMs = performance.now() - begun - seconds * 1000;
  await Promise.all(streams.map((stream) => stream.stop()));
  const opened = streams.reduce((sum, { connections }) => sum + connections, 0);
  t.diagnostic(
    `${sent} mails in ${seconds.toFixed(1)} s; ${streamCount} streams made ${opened} connections and had all ${Math.round(behindMs)} ms after the last 250`,
  );
  assert.deepEqual(codes, Array(restarts).fill(0));
  for (const { faults, messageIds } of streams) {
    assert.deepEqual(faults, []);
    assert.equal(new Set(messageIds).size, sent);
    assert.deepEqual(messageIds, streams[0]?.messageIds);
  }
});
