type Waiter<V> = { resolve(value: V | null): void; reject(error: unknown): void };

/**
 * Batch loader. Collects the keys that are requested during a read, and loads them with one further read. Batches grow with
 * load, and a key does not wait where no read is under way. Each value is read after its request. It is null for a key that
 * `read` left out.
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
      // Collects the requests of the same turn of the event loop.
      setImmediate(readAll);
    });
}
