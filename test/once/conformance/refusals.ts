import type { Id } from '#core/ids.ts';
import type { NewRefusal } from '#core/refusals/refusal.ts';
import type { Store } from '#core/store.ts';

/** Creates a team's refusal at an instant. */
export function refusalOf(team: Id, at: Date, more: Partial<NewRefusal> = {}): NewRefusal {
  return {
    ...{ team, at, remoteAddress: '192.0.2.1', helo: 'client.test', mailFrom: 's@s.test' },
    ...{ rcptTo: ['nobody@app.test'], authenticatedAs: null, stage: 'rcpt' },
    ...{ reply: '550 5.1.1 <nobody@app.test>: no such account', reason: 'no-such-account' },
    ...more,
  };
}

/** Calls everything that a store does with refusals. */
export async function useRefusals(store: Store, team: Id): Promise<void> {
  await store.refusals.add([refusalOf(team, new Date())], 1);
  await store.rows.list('refusals', { team, after: new Date(0) }, { page: 1, limit: 50 });
  await store.upkeep({ do: 'prune-refusals', before: new Date(0) }, 10);
}
