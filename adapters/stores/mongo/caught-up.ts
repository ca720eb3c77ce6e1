import type { MongoClient } from 'mongodb';

/** Resolves when the primary shows everything that was acknowledged before. Throws if it cannot be written to. */
export type CaughtUp = () => Promise<void>;

/**
 * Watches for new primaries. A new one holds all that was acknowledged, but shows less to reads of the majority until a
 * write of its own is durable. `write` makes such a write, once after each change of the topology.
 */
export function createCaughtUp(client: Pick<MongoClient, 'on'>, write: () => Promise<unknown>): CaughtUp {
  let written: Promise<unknown> | null = null;
  client.on('topologyDescriptionChanged', () => {
    written = null;
  });
  return async () => {
    if (written === null) {
      const own = write();
      written = own;
      own.catch(() => {
        if (written === own) written = null;
      });
    }
    await written;
  };
}
