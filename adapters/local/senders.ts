import { type Sender, type SenderTable, senderLifeMs } from '#core/messages/sender.ts';

export function createLocalSenders(): SenderTable {
  let senders: ReadonlyMap<string, Sender> = new Map();
  let until = 0;
  return {
    find: async (address) => (performance.now() < until ? (senders.get(address) ?? null) : null),
    async write(table) {
      senders = table;
      until = performance.now() + senderLifeMs;
    },
  };
}
