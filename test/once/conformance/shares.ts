import type { Id } from '#core/ids.ts';
import { addShare, openShare } from '#core/shares/change-shares.ts';
import type { PeopledStore as Store } from '#test/support/stores/people.ts';
import { wholePage } from './scene.ts';

export const at = (ms: number) => new Date(ms);

/** Creates a link to a team's account, by the team's own user. */
export const share = (store: Store, team: Id, hash: string, more = {}) =>
  store.rows.change(addShare, {
    ...{ team, user: team, messageId: null, accountId: 5, name: 'qa@app.test' },
    ...{ now: at(1), expiresAt: at(100), hash, ...more },
  });

/** Finds a link by its hash. */
export async function findShare(store: Store, hash: string, now: Date) {
  const { items } = await store.rows.list('shares', { hash, now }, wholePage);
  const { creator: _, ...found } = items[0] ?? { creator: null };
  return 'id' in found ? found : null;
}

/** Uses links in all ways, for tests that inspect the queries. */
export async function useShares(store: Store, team: Id): Promise<void> {
  const { id } = await share(store, team, 'used');
  await store.rows.list('shares', { team, now: at(2) }, wholePage);
  await findShare(store, 'used', at(2));
  await store.rows.change(openShare, { team, share: id, now: at(2) });
}
