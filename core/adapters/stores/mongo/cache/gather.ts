type Waiter<V> = { resolve(value: V | null): void; reject(error: unknown): void };

/**
 * Reads single things many at a time: what is asked for while a reading is under way goes together into the next one, so
 * that readings grow with load and nothing waits where there is none. Each gets what was read after it was asked for;
 * null where `read` gave nothing for the key.
 */
export function createGather<K, V>(read: (keys: K[]) => Promise<Map<K, V>>): (key: K) => Promise<V | null> {
  let waiting = new Map<K, Waiter<V>[]>();
  let busy = false;

  const readAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const asked = waiting;
      waiting = new Map();
      await read([...asked.keys()]).then(
        (found) => {
          for (const [key, waiters] of asked)
            for (const { resolve } of waiters) resolve(found.get(key) ?? null);
        },
        (error) => {
          for (const waiters of asked.values()) for (const { reject } of waiters) reject(error);
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
      // Requests that came in together are read together.
      setImmediate(readAll);
    });
}
