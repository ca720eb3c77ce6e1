type Waiter<V> = { resolve(value: V | null): void; reject(error: unknown): void };

/**
 * Batch loader: keys that are requested while a read is under way go together into the next one, so that batches grow
 * with load and nothing waits where there is none. Each value was read after it was requested; null for a key that `read`
 * left out.
 */
export function createBatchLoader<K, V>(
  read: (keys: K[]) => Promise<Map<K, V>>,
): (key: K) => Promise<V | null> {
  let waiting = new Map<K, Waiter<V>[]>();
  let busy = false;

  const readAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      await read([...batch.keys()]).then(
        (found) => {
          for (const [key, waiters] of batch)
            for (const { resolve } of waiters) resolve(found.get(key) ?? null);
        },
        (error) => {
          for (const waiters of batch.values()) for (const { reject } of waiters) reject(error);
        },
      );
    }
    busy = false;
  };

  return (key) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(key);
      if (waiters === undefined) waiting.set(key, [{ resolve, reject }]);
      else waiters.push({ resolve, reject });
      if (busy) return;
      busy = true;
      // Requests of the same moment are read together.
      setImmediate(readAll);
    });
}
