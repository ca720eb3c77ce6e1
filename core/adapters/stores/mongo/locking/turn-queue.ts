import type { Id } from '#core/ids.ts';

/**
 * Does work when all work that was given before it and shares a key with it has let go of its keys. Work that succeeds
 * lets go by calling `letGo`, before it ends or after; work that fails has let go.
 */
export type TurnQueue = <T>(keys: Id[], work: (letGo: () => void) => Promise<T>) => Promise<T>;

export function createTurnQueue(): TurnQueue {
  const last = new Map<Id, Promise<void>>();
  return async (keys, work) => {
    const { promise: gone, resolve: letGo } = Promise.withResolvers<void>();
    const before = keys.map((key) => last.get(key));
    for (const key of keys) last.set(key, gone);
    void gone.then(() => {
      for (const key of keys) if (last.get(key) === gone) last.delete(key);
    });
    try {
      await Promise.all(before);
      return await work(letGo);
    } catch (error) {
      letGo();
      throw error;
    }
  };
}
