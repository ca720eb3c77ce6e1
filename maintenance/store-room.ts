import type { RowLists } from '#core/change.ts';
import { StoreFull } from '#core/errors.ts';
import type { Store } from '#core/store.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Space in the store: whether its disk is full, and how many accounts refuse mail because they are full. */
export type StoreRoom = { isDiskFull: boolean; fullAccounts: number };

/** Time in ms for which a measurement is reused. */
const keptMs = 5000;

/** Returns a function that measures the space in a store and sets its gauges. The function rejects while the store cannot be reached. */
export function createRoomMeter(
  store: Pick<Store, 'ping' | 'size'> & { rows: RowLists },
  metrics: Pick<Metrics, 'fullAccounts' | 'storeBytes' | 'diskFreeBytes' | 'diskFull'>,
): () => Promise<StoreRoom> {
  let measured: { at: number; room: Promise<StoreRoom> } | null = null;
  const measure = async (): Promise<StoreRoom> => {
    const [isDiskFull, { total: fullAccounts }, size] = await Promise.all([
      store.ping().then(
        () => false,
        (error) => {
          if (error instanceof StoreFull) return true;
          throw error;
        },
      ),
      store.rows.list('fullAccounts', { team: null }, { page: 1, limit: 1 }),
      store.size(),
    ]);
    metrics.diskFull.set(isDiskFull ? 1 : 0);
    metrics.fullAccounts.set(fullAccounts);
    if (size !== null) {
      metrics.storeBytes.set(size.bytes);
      metrics.diskFreeBytes.set(size.freeBytes);
    }
    return { isDiskFull, fullAccounts };
  };
  return () => {
    const now = performance.now();
    if (measured === null || now - measured.at > keptMs) measured = { at: now, room: measure() };
    return measured.room;
  };
}
