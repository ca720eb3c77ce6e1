import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();

const at = (local: string) => `${local}@${user.domain.domain}`;

test('an account is made with its five mailboxes, read, listed, changed and deleted', async () => {
  const { api, domain } = user;
  const made = await ok(api.post('/api/accounts', { address: at('Sales'), password: 'long enough' }));
  assert.equal(made.address, at('sales'));
  assert.equal(made.domain_id, domain.id);
  assert.equal(made.is_active, true);
  assert.equal(made.is_catch_all, false);
  assert.equal(made.storage_limit, 104_857_600);
  assert.deepEqual([made.used, made.used_bytes, made.used_storage_bytes], [0, 0, 0]);
  assert.equal(made.password, undefined);
  assert.deepEqual(
    made.mailboxes.map((mailbox: { path: string; isSystem: boolean }) => [mailbox.path, mailbox.isSystem]),
    [
      ['INBOX', true],
      ['Sent', true],
      ['Trash', true],
      ['Drafts', true],
      ['Junk', true],
    ],
  );
  assert.deepEqual(await ok(api.get(`/api/accounts/${made.id}`)), made);
  assert.deepEqual((await ok(api.get(`/api/accounts?address=${at('SALES')}`))).items, [made]);

  const changed = await ok(
    api.patch(`/api/accounts/${made.id}`, { isActive: false, storageLimit: 1000, password: 'longer still' }),
  );
  assert.equal(changed.is_active, false);
  assert.equal(changed.storage_limit, 1000);
  assert.deepEqual((await ok(api.get('/api/accounts?isActive=false'))).items, [changed]);

  assert.deepEqual(await ok(api.delete(`/api/accounts/${made.id}`)), { id: made.id, deleted: true });
  assert.equal((await api.get(`/api/accounts/${made.id}`)).status, 404);
  assert.notEqual((await ok(api.post('/api/accounts', { address: at('sales') }))).id, made.id);
});

test('the three used fields are one number, the sum of the sizes', async () => {
  const id = await deliverOne(program, { to: user.address });
  const { size_bytes } = await ok(user.api.get(`/api/messages/${id}`));
  const account = await ok(user.api.get(`/api/accounts/${user.account.id}`));
  assert.deepEqual(
    [account.used, account.used_bytes, account.used_storage_bytes],
    [size_bytes, size_bytes, size_bytes],
  );
  await ok(user.api.delete(`/api/messages/${id}`));
  assert.equal((await ok(user.api.get(`/api/accounts/${user.account.id}`))).used_bytes, 0);
});

test('a catch-all takes every address; there is one a domain, and its address stays one', async () => {
  const made = await ok(user.api.post('/api/accounts', { address: at('*') }));
  assert.equal(made.is_catch_all, true);
  await deliverOne(program, { to: at('whoever') });
  assert.equal((await ok(user.api.get(`/api/messages?to=${at('whoever')}`))).pagination.total, 1);
  const inbox = made.mailboxes[0].id;
  assert.equal(
    (await ok(user.api.get(`/api/accounts/${made.id}/mailboxes/${inbox}/messages`))).pagination.total,
    1,
  );
  const second = await user.api.patch(`/api/accounts/${user.account.id}`, { is_catch_all: true });
  assert.equal(second.status, 422);
  assert.equal((await user.api.patch(`/api/accounts/${made.id}`, { is_catch_all: false })).status, 422);
  await ok(user.api.delete(`/api/accounts/${made.id}`));
});

test('a user has one capture account, and a second is refused with the name of the first', async () => {
  assert.equal((await ok(user.api.get(`/api/accounts/${user.account.id}`))).is_capture, false);
  const first = await ok(user.api.post('/api/accounts', { address: at('inbox'), is_capture: true }));
  assert.equal(first.is_capture, true);
  const path = `/api/accounts/${user.account.id}`;
  for (const answer of [
    await user.api.post('/api/accounts', { address: at('second'), is_capture: true }),
    await user.api.patch(path, { isCapture: true }),
  ]) {
    assert.equal(answer.status, 422);
    assert.equal(answer.json.violations[0].field, 'is_capture');
    assert.ok(answer.json.violations[0].message.includes(first.address));
  }
  assert.equal((await user.api.patch(path, { is_capture: 'yes' })).status, 422);
  assert.equal(
    (await ok(user.api.patch(`/api/accounts/${first.id}`, { is_capture: false }))).is_capture,
    false,
  );
  assert.equal((await ok(user.api.patch(path, { is_capture: true }))).is_capture, true);
  await ok(user.api.patch(path, { is_capture: false }));
  await ok(user.api.delete(`/api/accounts/${first.id}`));
});

test('the address must be on a domain of the caller’s, and free', async () => {
  const other = await createUser(program);
  const cases: [unknown, string][] = [
    [{ address: `x@${other.domain.domain}` }, 'address'],
    [{ address: 'x@unknown.test' }, 'address'],
    [{ address: user.address }, 'address'],
    [{ address: 'no address' }, 'address'],
    [{ address: `"quoted"@${user.domain.domain}` }, 'address'],
    [{ address: at('x'), domain_id: other.domain.id }, 'domain_id'],
    [{ address: at('x'), domainId: '7' }, 'domainId'],
    [{ address: at('x'), domain_id: 1.5 }, 'domain_id'],
    [{ address: at('x'), password: 'short' }, 'password'],
    [{ address: at('x'), password: 'x'.repeat(257) }, 'password'],
    [{ address: at('x'), storage_limit: -1 }, 'storage_limit'],
    [{ address: at('x'), storage_limit: '7' }, 'storage_limit'],
    [{ address: at('x'), storage_limit: 2 ** 53 }, 'storage_limit'],
    [{ address: at('*'), is_catch_all: false }, 'is_catch_all'],
    [{}, 'address'],
  ];
  for (const [body, field] of cases) {
    const { status, json } = await user.api.post('/api/accounts', body);
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal(json.violations[0].field, field);
  }
  const given = await ok(
    user.api.post('/api/accounts', { address: at('given'), domainId: user.domain.id, storage_limit: 0 }),
  );
  assert.equal(given.storage_limit, 0);
});

test('mailboxes are made, read, renamed and deleted; system ones stay', async () => {
  const path = `/api/accounts/${user.account.id}/mailboxes`;
  const made = await ok(user.api.post(path, { path: 'Archive/Ünder' }));
  assert.equal(made.isSystem, false);
  assert.equal(made.account_id, user.account.id);
  assert.deepEqual(await ok(user.api.get(`${path}/${made.id}`)), made);
  assert.equal((await ok(user.api.get(path))).pagination.total, 6);
  assert.equal((await user.api.post(path, { path: 'archive/üNDER' })).status, 422);
  assert.equal((await user.api.post(path, { path: 'inbox' })).status, 422);
  assert.equal((await ok(user.api.patch(`${path}/${made.id}`, { name: 'Later' }))).path, 'Later');
  assert.equal((await ok(user.api.patch(`${path}/${made.id}`, { path: 'LATER' }))).path, 'LATER');
  assert.equal((await user.api.patch(`${path}/${made.id}`, { path: 'Sent' })).status, 422);
  for (const id of Object.values(user.mailboxes)) {
    assert.equal((await user.api.patch(`${path}/${id}`, { path: 'Mine' })).status, 422);
    assert.equal((await user.api.delete(`${path}/${id}`)).status, 422);
  }
  assert.deepEqual(await ok(user.api.delete(`${path}/${made.id}`)), { id: made.id, deleted: true });
  assert.equal((await user.api.get(`${path}/${made.id}`)).status, 404);
});

for (const path of ['', ' x', 'x ', '/x', 'x/', 'a\u0007b', 'a\0b', 'x'.repeat(256)]) {
  test(`a mailbox is not called ${JSON.stringify(path).slice(0, 20)}`, async () => {
    const { status, json } = await user.api.post(`/api/accounts/${user.account.id}/mailboxes`, { path });
    assert.equal(status, 422);
    assert.equal(json.violations[0].field, 'path');
  });
}

test('emptying a mailbox deletes its messages and gives their number', async () => {
  const ids = [
    await deliverOne(program, { to: user.address }),
    await deliverOne(program, { to: user.address }),
  ];
  const path = `/api/accounts/${user.account.id}/mailboxes/${user.inbox}`;
  assert.deepEqual(await ok(user.api.delete(`${path}/messages`)), { deleted: ids.length });
  assert.deepEqual(await ok(user.api.delete(`${path}/messages`)), { deleted: 0 });
  const { totalMessages, totalUnreadMessages } = await ok(user.api.get(path));
  assert.deepEqual([totalMessages, totalUnreadMessages], [0, 0]);
  for (const id of ids) assert.equal((await user.api.get(`/api/messages/${id}`)).status, 404);
});
