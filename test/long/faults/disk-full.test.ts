import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createUser } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

/** Mounts a 24 MiB file system for one test. */
function smallDisk() {
  const dir = mkdtempSync(path.join(tmpdir(), 'sandpost-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', dir]);
  return {
    dir,
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', dir]);
      rmSync(dir, { recursive: true });
    },
  };
}

function canMount(): boolean {
  try {
    smallDisk()[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

test('a full disk answers 452, stored mail stays readable, and mail is taken again when there is room', {
  skip: !canMount() && 'making a small file system needs root',
}, async () => {
  using disk = smallDisk();
  await using dns = await startDnsServer();
  const filler = path.join(disk.dir, 'filler');
  writeFileSync(filler, Buffer.alloc(12 * 1024 * 1024));
  await using program = await startProgram({
    SANDPOST_DATA_DIR: path.join(disk.dir, 'data'),
    SANDPOST_DNS_SERVERS: dns.address,
    SANDPOST_TRUSTED_PROXIES: '127.0.0.1',
  });
  const user = await createUser(program);
  const raw = `From: a@example.com\r\nSubject: filling\r\n\r\n${'filling '.repeat(60_000).replace(/.{64}/g, '$&\r\n')}\r\n`;
  const replies = await sendUntil(program.smtpPort, user.address, raw, (reply) => !reply.startsWith('250'));
  assert.match(replies.at(-1) ?? '', /^452 4\.3\.1 /);
  const stored = replies.length - 1;
  assert.ok(stored > 0);
  const { json: list } = await user.api.get(`/api/messages?limit=200`);
  assert.equal(list.pagination.total, stored);
  for (const { id } of list.items) {
    assert.equal((await user.api.get(`/api/messages/${id}/raw`)).body.length, Buffer.byteLength(raw));
  }
  const ops = `http://127.0.0.1:${program.opsPorts.smtp}`;
  const isFull = async () => (await user.api.get('/api/storage')).json.is_disk_full;
  await until(isFull);
  // A Service sends no requests to a pod that is not ready, and nobody could delete mail.
  const ready = await fetch(`${ops}/readyz`);
  const note = "ok\nthe store's disk is full: Sandpost refuses mail\n";
  assert.deepEqual([ready.status, await ready.text()], [200, note]);
  assert.equal((await user.api.get('/readyz')).status, 200);
  const metrics = await (await fetch(`${ops}/metrics`)).text();
  assert.match(metrics, /^sandpost_store_full 1$/m);
  assert.match(metrics, /^sandpost_store_bytes [1-9]\d+$/m);
  assert.match(metrics, /^sandpost_store_free_bytes \d+$/m);
  await sendUntil(program.smtpPort, user.address, raw, () => false, 10);
  const lines = program.log.filter(({ level, event }) => Number(level) >= 40 || event === 'mail.refused');
  assert.deepEqual(
    lines.map(({ event, times, err }) => [event, times, err]),
    [['store.full', 1, undefined]],
  );
  rmSync(filler);
  const after = await sendUntil(program.smtpPort, user.address, raw, (reply) => reply.startsWith('250'));
  assert.match(after.at(-1) ?? '', /^250 2\.6\.0 stored as/);
  assert.equal((await user.api.get('/api/messages')).json.pagination.total, stored + 1);
  await until(async () => !(await isFull()));
  assert.equal((await fetch(`${ops}/readyz`)).status, 200);
});

/** Sends the same email repeatedly, at most `most` times, until a reply is the expected one. Returns all replies. */
async function sendUntil(
  port: number,
  recipient: string,
  raw: string,
  isLast: (reply: string) => boolean,
  most = 100,
): Promise<string[]> {
  const client = await SmtpClient.open(port);
  const replies: string[] = [];
  while (replies.length < most) {
    const reply = await client.send('a@example.com', [recipient], raw);
    replies.push(reply);
    if (isLast(reply)) break;
  }
  await client.quit();
  return replies;
}
