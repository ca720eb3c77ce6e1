import assert from 'node:assert/strict';
import { createApiKey } from '#core/access/api-keys.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { beginSession } from '#core/access/user-changes.ts';
import { removeAccount } from '#core/accounts/change-account.ts';
import type { Term } from '#core/messages/query.ts';
import { deliver, idsOf, newAccount, newDomain, newUser, onEachStore, wholePage } from './scene.ts';

onEachStore('a key that is limited to accounts keeps them', async (scene) => {
  const { store, owner, domain, account } = scene;
  const ports = { rows: store.rows, clock: () => new Date() };
  const wanted = { name: 'limited', createdBy: null, accountIds: [account.id] };
  const { key, value } = await createApiKey(ports, owner, wanted);
  assert.deepEqual([key.scope, key.accountIds], ['accounts', [account.id]]);
  const plain = await createApiKey(ports, owner, { name: 'plain', createdBy: null });
  assert.equal(plain.key.accountIds, null);
  const hash = hashSecret(value);
  await store.apiKeys.touch(key.id, new Date());
  for (const reader of [store, store.reader(), store])
    assert.deepEqual((await reader.apiKeys.findByHash(hash))?.key.accountIds, [account.id]);
  const { items } = await store.rows.list('apiKeys', { team: owner }, wholePage);
  assert.deepEqual(
    items.map(({ scope, accountIds }) => [scope, accountIds]),
    [
      ['full', null],
      ['accounts', [account.id]],
    ],
  );
  const session = { user: owner, key: key.id, hash: 's', createdAt: new Date(), most: 10 };
  const expiresAt = new Date(Date.now() + 60_000);
  await store.rows.change(beginSession, { ...session, expiresAt });
  const found = await store.sessions.find('s', new Date());
  assert.deepEqual(found && 'key' in found.holder && found.holder.key.accountIds, [account.id]);
  const { apiKeys } = await store.rows.read('credentials', { team: owner });
  const names = apiKeys.map(({ name }) => name);
  assert.deepEqual(names, ['plain']);
  const stranger = await newUser(store, 'stranger@team.test');
  const other = await newAccount(
    store,
    stranger,
    (await newDomain(store, stranger, 'o.test')).id,
    'qa@o.test',
  );
  const gone = await newAccount(store, owner, domain.id, `gone@${domain.name}`);
  await store.rows.change(removeAccount, { team: owner, account: gone.id, now: new Date() });
  for (const accountIds of [[other.id], [account.id, gone.id], [987_654]])
    await assert.rejects(
      createApiKey(ports, owner, { ...wanted, accountIds }),
      /must contain only ids of your accounts/,
    );
});

const idsIn = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);

onEachStore('a search among some accounts finds the mail of these', async (scene) => {
  const { store, owner, domain, account } = scene;
  const second = await newAccount(store, owner, domain.id, `second@${domain.name}`);
  const third = await newAccount(store, owner, domain.id, `third@${domain.name}`);
  const ids = [];
  for (const one of [account, second, third, account]) ids.push(await deliver(store, one));
  const [a, b, c, d] = ids;
  const listed = (filter: object) => store.accounts.list(owner, filter, wholePage);
  assert.deepEqual(idsIn(await listed({ ids: [account.id, third.id, 987_654] })), [account.id, third.id]);
  assert.deepEqual(idsIn(await listed({ ids: [third.id], address: second.address })), []);
  assert.deepEqual(idsIn(await listed({ ids: [] })), []);
  const among = (...accountIds: number[]): Term => ({ field: 'accounts', ids: accountIds, typed: '' });
  assert.deepEqual(await idsOf(store, owner, { query: among(account.id, second.id) }), [d, b, a]);
  assert.deepEqual(await idsOf(store, owner, { query: { not: among(account.id) } }), [c, b]);
  assert.deepEqual(await idsOf(store, owner, { query: among() }), []);
  const unread = { unread: true, query: { all: [among(second.id, third.id)] } };
  assert.deepEqual(await idsOf(store, owner, unread), [c, b]);
  assert.deepEqual(await idsOf(store, owner, { ...unread, unread: false }), []);
});
