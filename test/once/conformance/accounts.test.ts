import assert from 'node:assert/strict';
import { type AccountFlags, defaultFlags } from '#core/accounts/account.ts';
import { ensureCaptureAccount } from '#core/accounts/ensure-capture-account.ts';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';
import { accountInput, newAccount, newDomain, newUser, onEachStore, wholePage } from './scene.ts';

onEachStore(
  'an account has its system mailboxes, and only its owner sees it',
  async ({ store, owner, domain }) => {
    const stranger = await newUser(store, 'stranger@team.test');
    const words = {
      active: false,
      storageLimit: Number.MAX_SAFE_INTEGER,
      managedBy: 'team/qa',
      passwordHash: 'h',
    };
    const { passwordHash: _, ...shown } = accountInput(domain.id, 'a@app.test', words);
    const account = await newAccount(store, owner, domain.id, 'a@app.test', {
      ...words,
      createdAt: shown.createdAt,
    });
    assert.deepEqual(account, {
      ...shown,
      id: account.id,
      owner,
      usedBytes: 0,
      fullAt: null,
      updatedAt: shown.createdAt,
      mailboxes: account.mailboxes,
    });
    assert.deepEqual(
      account.mailboxes.map(({ id: _, ...mailbox }) => mailbox),
      systemMailboxes.map((path) => ({
        accountId: account.id,
        path,
        system: true,
        total: 0,
        unread: 0,
        createdAt: shown.createdAt,
      })),
    );
    assert.deepEqual(await store.accounts.find(owner, account.id), account);
    assert.equal(await store.accounts.find(stranger, account.id), null);
    assert.equal(await store.accounts.update(stranger, account.id, { active: true }, new Date()), null);
    assert.equal(await store.accounts.softDelete(stranger, account.id, new Date()), false);
    assert.deepEqual(await store.accounts.find(owner, account.id), account, 'a stranger changed nothing');
    assert.equal(await store.accounts.update(owner, 4711, { active: true }, new Date()), null);
  },
);

onEachStore('an account keeps each flag', async ({ store, owner, account }) => {
  let flags: AccountFlags = { ...defaultFlags };
  for (const [name, value] of Object.entries(defaultFlags)) {
    flags = { ...flags, [name]: !value };
    await store.accounts.update(owner, account.id, { [name]: !value }, new Date());
    assert.partialDeepStrictEqual(await store.accounts.find(owner, account.id), flags, name);
  }
});

onEachStore(
  'an account needs a domain of its owner that is not deleted',
  async ({ store, owner, domain }) => {
    const stranger = await newUser(store, 'stranger@team.test');
    const input = accountInput(domain.id, 'new@app.test');
    assert.equal(await store.accounts.insert(stranger, input), null);
    assert.equal(await store.accounts.insert(owner, { ...input, domainId: 4711 }), null);
    await store.domains.softDelete(owner, domain.id, new Date());
    assert.equal(await store.accounts.insert(owner, input), null);
  },
);

onEachStore(
  'an address, and the place of the catch-all, belong to one account that is not deleted',
  async ({ store, owner, domain, account }) => {
    assert.equal(await store.accounts.insert(owner, accountInput(domain.id, 'qa@app.test')), 'address-taken');
    const first = await newAccount(store, owner, domain.id, '*@app.test', { catchAll: true });
    const second = accountInput(domain.id, 'b@app.test', { catchAll: true });
    assert.equal(await store.accounts.insert(owner, second), 'catch-all-taken');
    const now = new Date('2027-01-01T00:00:00Z');
    assert.equal(await store.accounts.update(owner, account.id, { catchAll: true }, now), 'catch-all-taken');
    const same = await store.accounts.update(owner, first.id, { catchAll: true }, now);
    assert.deepEqual(same, { ...first, updatedAt: now }, 'its own place is free for itself');
    assert.equal(await store.accounts.softDelete(owner, first.id, now), true);
    assert.equal(await store.accounts.softDelete(owner, first.id, now), false);
    assert.deepEqual(await store.accounts.update(owner, account.id, { catchAll: true }, now), {
      ...account,
      catchAll: true,
      updatedAt: now,
    });
    const managedBy = 'team/renamed';
    const moved = await store.accounts.update(owner, account.id, { managedBy }, now);
    assert.deepEqual(moved, { ...account, catchAll: true, managedBy, updatedAt: now });
    const again = await newAccount(store, owner, domain.id, '*@app.test');
    assert.notEqual(again.id, first.id);
  },
);

onEachStore(
  'the place of the capture account belongs to one account of an owner that is not deleted',
  async ({ store, owner, domain, account }) => {
    assert.equal(await store.accounts.findCapture(owner), null);
    const first = await newAccount(store, owner, domain.id, 'inbox@app.test', { capture: true });
    assert.equal(first.capture, true);
    const { id } = first;
    assert.equal(await store.accounts.findCapture(owner), first.address);
    const second = accountInput(domain.id, 'b@app.test', { capture: true });
    assert.equal(await store.accounts.insert(owner, second), 'capture-taken');
    const now = new Date('2027-01-01T00:00:00Z');
    assert.equal(await store.accounts.update(owner, account.id, { capture: true }, now), 'capture-taken');
    assert.deepEqual(await store.accounts.update(owner, id, { capture: true }, now), {
      ...first,
      updatedAt: now,
    });

    const stranger = await newUser(store, 'stranger@team.test');
    const theirs = await newDomain(store, stranger, 'their.test');
    await newAccount(store, stranger, theirs.id, 'x@their.test', { capture: true });
    assert.equal(await store.accounts.findCapture(stranger), 'x@their.test');

    await store.accounts.update(owner, id, { capture: false }, now);
    assert.equal(await store.accounts.findCapture(owner), null);
    const moved = await store.accounts.update(owner, account.id, { capture: true }, now);
    assert.deepEqual(moved, { ...account, capture: true, updatedAt: now });
    await store.accounts.softDelete(owner, account.id, now);
    assert.equal(await store.accounts.findCapture(owner), null);
    await newAccount(store, owner, domain.id, 'c@app.test', { capture: true });

    await store.domains.softDelete(owner, domain.id, now);
    assert.equal(await store.accounts.findCapture(owner), null);
    const next = await newDomain(store, owner, 'next.test');
    await newAccount(store, owner, next.id, 'd@next.test', { capture: true });
    assert.equal(await store.accounts.findCapture(owner), 'd@next.test');
  },
);

onEachStore('a change writes its fields and the time', async ({ store, owner, account }) => {
  const now = new Date('2027-01-01T00:00:00Z');
  assert.deepEqual([account.active, account.catchAll], [true, false]);
  const touched = await store.accounts.update(owner, account.id, { storageLimit: 5 }, now);
  assert.deepEqual(touched, { ...account, storageLimit: 5, updatedAt: now });
  const change = { active: false, storageLimit: 0, passwordHash: 'secret' };
  const changed = { ...account, active: false, storageLimit: 0, updatedAt: now };
  assert.deepEqual(await store.accounts.update(owner, account.id, change, now), changed);
  assert.deepEqual(await store.accounts.find(owner, account.id), changed);
});

onEachStore(
  'accounts are listed oldest first, by domain, by address, by activity, by page',
  async ({ store, owner, domain, account }) => {
    const other = await newDomain(store, owner, 'other.test');
    await newAccount(store, owner, other.id, 'z@other.test');
    await newAccount(store, owner, domain.id, 'a@app.test', { active: false });
    const list = async (
      filter: { domainId?: number; address?: string; active?: boolean },
      page = wholePage,
    ) => {
      const { items, total } = await store.accounts.list(owner, filter, page);
      return [items.map((item) => item.address), total];
    };
    assert.deepEqual(await list({}), [['qa@app.test', 'z@other.test', 'a@app.test'], 3]);
    assert.deepEqual(await list({ address: 'a@app.test' }), [['a@app.test'], 1]);
    assert.deepEqual(await list({ domainId: other.id }), [['z@other.test'], 1]);
    assert.deepEqual(await list({ active: true }), [['qa@app.test', 'z@other.test'], 2]);
    assert.deepEqual(await list({}, { page: 2, limit: 2 }), [['a@app.test'], 3]);
    const { items } = await store.accounts.list(owner, {}, wholePage);
    assert.deepEqual(items[0], account, 'a list shows mailboxes too');
    assert.deepEqual(await store.accounts.list(await newUser(store, 's@team.test'), {}, wholePage), {
      items: [],
      total: 0,
    });
  },
);

onEachStore('many processes that start at once make one capture account', async ({ store, owner }) => {
  const ports = {
    ...store,
    accountPasswords: { hash: async () => 'hash' },
    quotas: { domains: 10, accounts: 10, storageBytes: 1e9 },
    domainSuffixes: [],
    clock: () => new Date(),
  };
  const made = await Promise.all(
    Array.from({ length: 10 }, () => ensureCaptureAccount(ports, owner, 'inbox@sandpost.test')),
  );
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  assert.deepEqual(
    [made[0]?.capture, made[0]?.simulatesFailures, await store.accounts.findCapture(owner)],
    [true, true, 'inbox@sandpost.test'],
  );
  // A second capture account does not replace the first.
  const other = await ensureCaptureAccount(ports, owner, 'other@sandpost.test');
  assert.equal(other.capture, false);
});
