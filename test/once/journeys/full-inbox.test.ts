import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openFrames } from '#test/support/clients/frames.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { ok } from '#test/support/program/user.ts';

let program: Process;
let api: HttpClient;
let path: string;
const limit = 1_000_000;
before(async () => {
  program = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  api = new HttpClient({ baseUrl: `http://127.0.0.1:${program.ports.http}`, httpPort: program.ports.http });
  const [{ id }] = (await ok(api.get('/api/accounts?address=inbox@sandpost.test'))).items;
  path = `/api/accounts/${id}`;
  await ok(api.patch(path, { storage_limit: limit }));
});
after(() => program.stop());

const textOf = (subject: string, bytes: number) => {
  const line = `${'x'.repeat(60)}\r\n`;
  return `Subject: ${subject}\r\n\r\n${line.repeat(Math.ceil(bytes / line.length))}`;
};

test('a full inbox drops its oldest mail, with an event each, and refuses what is larger than its limit', async () => {
  const client = await SmtpClient.open(program.ports.smtp);
  const take = (subject: string, bytes: number, parameters = '') =>
    client
      .begin('shop@example.com', ['a@b.test'], parameters)
      .then((reply) => (reply.startsWith('354') ? write(subject, bytes) : reply));
  const write = async (subject: string, bytes: number) => {
    await client.write(`${textOf(subject, bytes)}.\r\n`);
    return client.reply();
  };
  const frames = await openFrames({ api });
  for (let index = 0; index < 8; index += 1) {
    assert.match(await take(`drop ${index}`, 300_000, index % 2 === 0 ? '' : ' SIZE=300000'), /^250/);
  }
  assert.match(await take('too large', limit + 1), /^552 5\.2\.2/);
  assert.match(await take('too large', limit + 1, ` SIZE=${limit + 1}`), /^552 5\.2\.2/);
  client.destroy();
  const deleted: unknown[] = [];
  const received: unknown[] = [];
  while (received.length < 8) {
    const { event, data } = await frames.next();
    (event === 'new-message' ? received : deleted).push(data.id);
  }
  frames.close();
  const { items } = await ok(api.get('/api/messages?limit=200&subject=drop'));
  const subjects = items.map(({ subject }: { subject: string }) => subject);
  assert.deepEqual(subjects.slice(0, 3), ['drop 7', 'drop 6', 'drop 5']);
  const { used_bytes } = await ok(api.get(path));
  const sum = items.reduce((total: number, { size_bytes }: { size_bytes: number }) => total + size_bytes, 0);
  assert.deepEqual([used_bytes, used_bytes <= limit], [sum, true]);
  const ids = items.map((item: { id: number }) => item.id);
  assert.deepEqual(ids, received.slice(5).reverse());
  for (const message of received.slice(0, 5)) assert.ok(deleted.includes(message));
  assert.equal(new Set(deleted).size, deleted.length, 'one event each');
});

test('a full inbox frees a hundredth of its space, so that the next mails fit at once', async () => {
  const { items } = await ok(api.get('/api/messages?limit=200'));
  for (const { id } of items) await ok(api.delete(`/api/messages/${id}`));
  const client = await SmtpClient.open(program.ports.smtp);
  let [before, used] = [0, 0];
  while (used >= before) {
    before = used;
    assert.match(await client.send('shop@example.com', ['a@b.test'], textOf('small', 5_000)), /^250/);
    used = (await ok(api.get(path))).used_bytes;
  }
  client.destroy();
  assert.ok(before > limit - 6_000 && used <= limit - limit / 100, `${before}, then ${used}`);
});

test('large mails that come at once to a full inbox all fit, one after the other', async () => {
  const flood = async (count: number, bytes: number) => {
    const client = await SmtpClient.open(program.ports.smtp);
    const replies: string[] = [];
    for (let index = 0; index < count; index += 1) {
      replies.push(await client.send('shop@example.com', ['a@b.test'], textOf('at once', bytes)));
    }
    client.destroy();
    return replies;
  };
  const large = Array.from({ length: 10 }, () => flood(2, 900_000));
  const small = Array.from({ length: 4 }, () => flood(20, 2_000));
  const replies = (await Promise.all([...large, ...small])).flat();
  const unexpected = replies.filter((reply) => !reply.startsWith('250 '));
  assert.deepEqual(unexpected, []);
  const { used_bytes } = await ok(api.get(path));
  assert.ok(used_bytes > 0 && used_bytes <= limit, `${used_bytes}`);
});
