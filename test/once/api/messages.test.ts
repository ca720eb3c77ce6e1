import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';

const { program, user } = await scene();
const place: string = `/api/accounts/${user.account.id}/mailboxes/${user.inbox}/messages`;

const raw = [
  'Received: from shop.example by mx.example; Sat, 21 Nov 2026 09:59:58 +0000',
  'From: =?utf-8?q?B=C3=BCcher?= <Shop@Example.com>',
  'To: QA <qa@app.test>, other@example.com',
  'Cc: cc@example.com',
  'Reply-To: help@example.com',
  'Subject: Your code',
  'Date: Sat, 21 Nov 2026 10:00:00 +0100',
  'Message-ID: <one@shop.example>',
  'In-Reply-To: <zero@shop.example>',
  'References: <zero@shop.example>',
  '__proto__: polluted',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Your code is 493817. Go to https://shop.example/verify?t=1',
  '--b',
  'Content-Type: application/octet-stream; name="../../etc/pass\\"wd"',
  'Content-Disposition: attachment; filename="../../etc/pass\\"wd"',
  'Content-Transfer-Encoding: base64',
  '',
  'AAEC/w==',
  '--b--',
  '',
].join('\r\n');

test('the full message has everything that the raw bytes and the envelope have', async () => {
  const id = await deliverOne(program, { to: user.address.replace('@', '+tag@'), raw });
  const message = await ok(user.api.get(`/api/messages/${id}`));
  assert.equal(message.msgid, '<one@shop.example>');
  assert.deepEqual([message.from_address, message.from_name], ['Shop@Example.com', 'Bücher']);
  assert.deepEqual(message.to_addresses, ['qa@app.test', 'other@example.com']);
  assert.deepEqual(message.from, { name: 'Bücher', address: 'Shop@Example.com' });
  assert.deepEqual(message.cc, [{ name: '', address: 'cc@example.com' }]);
  assert.deepEqual(message.reply_to, [{ name: '', address: 'help@example.com' }]);
  assert.equal(message.date, '2026-11-21T09:00:00.000+00:00');
  assert.equal(message.in_reply_to, '<zero@shop.example>');
  assert.deepEqual(message.references, ['<zero@shop.example>']);
  assert.equal(message.tag, 'tag');
  assert.equal(message.delivered_to, user.address.replace('@', '+tag@'));
  assert.deepEqual(message.envelope.rcpt_to, [user.address.replace('@', '+tag@')]);
  assert.equal(message.envelope.mail_from, 'shop@example.com');
  assert.equal(message.envelope.tls, false);
  assert.equal(message.size_bytes, Buffer.byteLength(raw));
  assert.match(message.text, /Your code is 493817/);
  assert.equal(message.html, null);
  assert.deepEqual(message.headers[10], { name: '__proto__', value: 'polluted' });
  assert.deepEqual(message.codes, [{ value: '493817', source: 'text' }]);
  assert.deepEqual(message.links, [{ url: 'https://shop.example/verify?t=1', text: '', kind: 'verify' }]);
  assert.equal(message.thread_id, null);
  assert.equal(message.threadId, null);
  assert.equal(message.auto_delete, true);
  assert.equal(message.structure.children.length, 2);
  assert.equal(message.structure.children[1].attachment_id, 1);
  assert.equal(message.audit.message_id, '<one@shop.example>');
  assert.deepEqual(Object.keys(message.audit.checks), ['critical', 'warning', 'info', 'passed']);
  const base = 'http://localhost:8080';
  assert.equal(message.sourceUrl, `${base}${place}/${id}/source`);
  assert.equal(message.downloadUrl, `${base}${place}/${id}/download`);
  assert.equal(message.attachments[0].downloadUrl, `${base}/api/messages/${id}/attachments/1`);
  const { items } = await ok(user.api.get(place));
  for (const [field, value] of Object.entries(items[0])) assert.deepEqual(message[field], value, field);
});

test('raw, download and source give back every byte', async () => {
  const id = await deliverOne(program, { to: user.address, raw });
  const bytes = await user.api.get(`/api/messages/${id}/raw`);
  assert.equal(bytes.body.toString(), raw);
  assert.equal(bytes.headers['content-type'], 'message/rfc822');
  assert.equal(bytes.headers['content-length'], String(Buffer.byteLength(raw)));
  const download = await user.api.get(`${place}/${id}/download`);
  assert.equal(download.body.toString(), raw);
  assert.equal(download.headers['content-disposition'], 'attachment; filename="message.eml"');
  const source = await ok(user.api.get(`${place}/${id}/source`));
  assert.deepEqual(
    [source.encoding, source.source, source.size_bytes],
    ['utf-8', raw, Buffer.byteLength(raw)],
  );
  for (const path of [`/api/messages/${id}/raw`, `${place}/${id}/download`]) {
    const head = await user.api.call('HEAD', path);
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(raw)));
    assert.equal(head.body.length, 0);
  }
});

test('bytes that are not UTF-8 come as base64, and a large message whole', async () => {
  const latin = Buffer.concat([
    Buffer.from('Subject: x\r\n\r\n'),
    Buffer.from([0xe4, 0xff]),
    Buffer.from('\r\n'),
  ]);
  const id = await deliverOne(program, { to: user.address, raw: latin });
  const source = await ok(user.api.get(`${place}/${id}/source`));
  assert.equal(source.encoding, 'base64');
  assert.deepEqual(Buffer.from(source.source, 'base64'), latin);
  const large = Buffer.from(`Subject: large\r\n\r\n${`${'0123456789'.repeat(7)}\r\n`.repeat(40_000)}`);
  const largeId = await deliverOne(program, { to: user.address, raw: large });
  assert.ok((await user.api.get(`/api/messages/${largeId}/raw`)).body.equals(large));
});

test('an attachment downloads decoded, under its type, and no browser runs it', async () => {
  const id = await deliverOne(program, { to: user.address, raw });
  const { headers, body, status } = await user.api.get(`/api/messages/${id}/attachments/1`);
  assert.equal(status, 200);
  assert.deepEqual([...body], [0, 1, 2, 255]);
  assert.equal(headers['content-type'], 'application/octet-stream');
  assert.equal(headers['content-disposition'], 'attachment; filename="pass\\"wd"');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.match(headers['content-security-policy'] ?? '', /^sandbox/);
  const head = await user.api.call('HEAD', `/api/messages/${id}/attachments/1`);
  assert.equal(head.headers['content-length'], '4');
  assert.equal((await user.api.get(`/api/messages/${id}/attachments/2`)).status, 404);
});

test('a name outside ASCII downloads as RFC 8187 says', async () => {
  const file =
    'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="Müller.pdf"\r\n\r\nx';
  const id = await deliverOne(program, { to: user.address, raw: file });
  const { headers } = await user.api.get(`/api/messages/${id}/attachments/1`);
  const names = `filename="M?ller.pdf"; filename*=UTF-8''M%C3%BCller.pdf`;
  assert.equal(headers['content-disposition'], `attachment; ${names}`);
});

for (const method of ['PATCH', 'PUT']) {
  test(`${method} changes read, flagged, expiry and auto-delete under every name`, async () => {
    const id = await deliverOne(program, { to: user.address });
    const path = `/api/messages/${id}`;
    const change = (json: unknown) => user.api.call(method, path, { json });
    const later = new Date(Date.now() + 86_400_000);
    const expected = later.toISOString().replace('Z', '+00:00');
    for (const name of ['is_read', 'isRead', 'read', 'seen']) {
      assert.equal((await ok(change({ [name]: true }))).is_read, true);
      assert.equal((await ok(change({ [name]: false }))).is_read, false);
    }
    for (const name of ['is_flagged', 'isFlagged', 'flagged']) {
      assert.equal((await ok(change({ [name]: true }))).is_flagged, true);
      assert.equal((await ok(change({ [name]: false }))).is_flagged, false);
    }
    assert.equal((await ok(change({ expires_at: later.toISOString() }))).expires_at, expected);
    assert.equal((await ok(change({ expiresAt: null }))).expires_at, null);
    assert.equal((await ok(change({ autoDelete: false }))).auto_delete, false);
    assert.equal((await change({ expires_at: '2020-01-01T00:00:00Z' })).status, 422);
    assert.equal((await change({ expires_at: '2100-01-01T00:00:00Z' })).status, 422);
    assert.equal((await change({ expires_at: 'tomorrow' })).status, 422);
    assert.equal((await change({ is_read: true, seen: false })).status, 422);
    assert.equal((await change({ is_read: 'true' })).status, 422);
    assert.equal((await change({ subject: 'x' })).status, 422);
    assert.equal((await user.api.call(method, path)).status, 400);
  });
}

test('reading does not mark as read; the counts follow the flag', async () => {
  const other = await createUser(program);
  const id = await deliverOne(program, { to: other.address });
  const counts = async () => {
    const mailbox = await ok(other.api.get(`/api/accounts/${other.account.id}/mailboxes/${other.inbox}`));
    return [mailbox.totalMessages, mailbox.totalUnreadMessages];
  };
  assert.equal((await ok(other.api.get(`/api/messages/${id}`))).is_read, false);
  assert.deepEqual(await counts(), [1, 1]);
  await ok(other.api.patch(`/api/messages/${id}`, { seen: true }));
  assert.deepEqual(await counts(), [1, 0]);
});

test('an expired message is invisible at that instant', async () => {
  const id = await deliverOne(program, { to: user.address });
  const expires = Date.now() + 4000;
  await ok(user.api.patch(`/api/messages/${id}`, { expires_at: new Date(expires).toISOString() }));
  for (;;) {
    const asked = Date.now();
    const { status } = await user.api.get(`/api/messages/${id}`);
    if (status === 404) break;
    assert.ok(asked < expires, 'it is still there');
    await paced(20);
  }
  assert.ok(Date.now() >= expires);
});

test('a message moves within its account, under every name of the target', async () => {
  const id = await deliverOne(program, { to: user.address });
  const { Trash = 0, Junk = 0 } = user.mailboxes;
  let from = user.inbox;
  for (const [name, to] of [
    ['mailbox_id', Trash],
    ['mailboxId', Junk],
    ['mailbox', user.inbox],
  ] as const) {
    const path = `/api/accounts/${user.account.id}/mailboxes/${from}/messages/${id}/move`;
    assert.equal((await ok(user.api.put(path, { [name]: to }))).mailbox_id, to);
    assert.equal(
      (await user.api.get(path.replace('move', 'source'))).status,
      404,
      'it is not there any more',
    );
    from = to;
  }
  const path = `${place}/${id}/move`;
  const other = await createUser(program);
  for (const [body, status] of [
    [{ mailbox_id: other.inbox }, 422],
    [{ mailbox_id: 999_999 }, 422],
    [{ mailbox_id: '1' }, 422],
    [{}, 422],
    [undefined, 400],
  ] as const) {
    assert.equal((await user.api.call('PUT', path, { json: body })).status, status);
  }
});

test('a message under another account or mailbox is 404', async () => {
  const id = await deliverOne(program, { to: user.address });
  const second = await ok(user.api.post('/api/accounts', { address: `second@${user.domain.domain}` }));
  const places = [
    `/api/accounts/${user.account.id}/mailboxes/${user.mailboxes.Trash}/messages/${id}`,
    `/api/accounts/${second.id}/mailboxes/${user.inbox}/messages/${id}`,
    `/api/accounts/${second.id}/mailboxes/${second.mailboxes[0].id}/messages/${id}`,
  ];
  for (const path of places) {
    assert.equal((await user.api.get(`${path}/download`)).status, 404);
    assert.equal((await user.api.get(`${path}/source`)).status, 404);
    assert.equal((await user.api.put(`${path}/move`, { mailbox_id: user.inbox })).status, 404);
  }
  assert.equal(
    (await user.api.get(`/api/accounts/${second.id}/mailboxes/${user.inbox}/messages`)).status,
    404,
  );
});
