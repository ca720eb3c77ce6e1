import assert from 'node:assert/strict';
import type { Account } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { DomainMoves, MoveStep } from '#core/domains/move.ts';
import type { Id } from '#core/ids.ts';
import type { Store } from '#core/store.ts';
import type { PeopledStore } from '#test/support/stores/people.ts';
import { idsOf, mailboxId, now, wholePage } from './scene.ts';

export const quotas = { domains: 1000, accounts: 10_000 };

type Begun = Extract<Awaited<ReturnType<DomainMoves['begin']>>, { domain: Domain }>;

export const begin = (store: Store, owner: Id, id: Id, to: Id, limit = 500) =>
  store.moves.begin(owner, id, to, { quotas, limit, now: new Date() });

/** Starts a move that no rule forbids. */
export async function begun(store: Store, owner: Id, id: Id, to: Id, limit = 500): Promise<Begun> {
  const result = await begin(store, owner, id, to, limit);
  assert.ok(result !== null && 'domain' in result, JSON.stringify(result));
  return result;
}

/** Continues all moves, and returns the steps. */
export async function goOn(store: Store, limit = 500): Promise<MoveStep[]> {
  const steps: MoveStep[] = [];
  for (let step = await store.moves.step(null, limit, new Date()); step !== null; ) {
    steps.push(step);
    step = await store.moves.step(null, limit, new Date());
  }
  return steps;
}

/** Asserts that a team sees nothing of a domain. */
export async function seesNothing(
  store: PeopledStore,
  team: Id,
  account: Account,
  messages: Id[],
): Promise<void> {
  assert.equal(await store.rows.read('domain', { team, domain: account.domainId }), null);
  assert.equal(await store.accounts.find(team, account.id), null);
  assert.equal((await store.accounts.list(team, { domainId: account.domainId }, wholePage)).total, 0);
  const inbox = mailboxId(account, 'INBOX');
  assert.equal(await store.mailboxes.list(team, account.id, wholePage), null);
  assert.equal(await store.mailboxes.find(team, account.id, inbox), null);
  assert.equal(await store.mailboxes.insert(team, account.id, 'New', new Date()), null);
  assert.equal(await store.accounts.softDelete(team, account.id, new Date()), false);
  for (const id of messages) {
    assert.equal(await store.messages.find(team, id, now()), null);
    assert.equal(await store.messages.raw(team, id, now()), null);
    assert.equal(await store.messages.update(team, id, { isRead: true }, now()), null);
    assert.equal(await store.messages.remove(team, id, now()), null);
  }
  for (const filter of [{ accountId: account.id }, { mailboxId: inbox }]) {
    assert.deepEqual(await idsOf(store, team, filter), [], JSON.stringify(filter));
  }
  for (const filter of [{}, { after: 0 }, { words: ['mail'] }, { unread: true }, { mailboxPath: 'INBOX' }]) {
    const shown = await idsOf(store, team, filter);
    assert.deepEqual(
      shown.filter((id) => messages.includes(id)),
      [],
      JSON.stringify(filter),
    );
  }
}
