import type { Sender, SenderTable } from '#core/messages/sender.ts';

/** Creates a table of senders for one process. */
export function createLocalSenders(): SenderTable {
  let senders: ReadonlyMap<string, Sender> = new Map();
  return {
    find: async (address) => senders.get(address) ?? null,
    async write(table) {
      senders = table;
    },
  };
}
