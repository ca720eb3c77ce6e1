import { found, invalid, NotFound } from '#core/errors.ts';
import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { Message, MessageChange, MessageStore, MessageSummary, MessageUpdate } from './message.ts';
import { type Place, type ReadPorts, readMessage } from './read-message.ts';
import { checkExpiry, visibilityAt } from './retention.ts';

export type ChangePorts = ReadPorts & { messages: MessageStore; bus: EventBus };

/** Number of messages removed at a time from a mailbox that is being emptied. Deliveries run between these short transactions. */
const emptyingBatch = 100;

/**
 * Changes whether a message is read or flagged, its expiration, auto-delete and tags. Throws NotFound. Throws Invalid for an expiration
 * that is not allowed.
 */
export async function changeMessage(
  ports: ChangePorts,
  owner: Id,
  id: Id,
  change: MessageChange,
): Promise<Message> {
  if (change.expiresAt) {
    const { receivedAt } = await readMessage(ports, owner, id);
    checkExpiry(change.expiresAt, receivedAt, visibilityAt(ports.clock(), ports.retentionDays));
  }
  return write(ports, owner, id, change);
}

type ListedState = Pick<MessageSummary, 'isRead' | 'isFlagged' | 'tags'>;

/** Checks whether a change needs an event. Only changes that lists show need one. */
export function isAnnounced(before: ListedState, after: ListedState): boolean {
  return (
    before.isRead !== after.isRead ||
    before.isFlagged !== after.isFlagged ||
    before.tags.join() !== after.tags.join()
  );
}

/** Moves a message to another mailbox of its account. Throws NotFound. Throws Invalid for a mailbox that is not in the account. */
export async function moveMessage(
  ports: ChangePorts,
  owner: Id,
  id: Id,
  mailboxId: Id,
  place: Place,
): Promise<Message> {
  await readMessage(ports, owner, id, place);
  return write(ports, owner, id, { mailboxId });
}

async function write(ports: ChangePorts, owner: Id, id: Id, change: MessageUpdate): Promise<Message> {
  const visibility = visibilityAt(ports.clock(), ports.retentionDays);
  const committed = found(await ports.messages.update(owner, id, change, visibility));
  if (committed === 'no-mailbox') throw invalid('mailboxId', "is not a mailbox in the message's account");
  ports.bus.announce(owner, committed.events);
  return committed.result;
}

/** Deletes a message. Its bytes are removed immediately. Throws NotFound. */
export async function deleteMessage(ports: ChangePorts, owner: Id, id: Id): Promise<void> {
  const visibility = visibilityAt(ports.clock(), ports.retentionDays);
  const committed = found(await ports.messages.remove(owner, id, visibility));
  ports.bus.announce(owner, committed.events);
}

/** Deletes all messages that are currently in a mailbox. Returns their number. Throws NotFound. */
export async function emptyMailbox(
  ports: ChangePorts & { mailboxes: MailboxStore; journal: { heads(users: Id[]): Promise<Map<Id, number>> } },
  owner: Id,
  accountId: Id,
  mailboxId: Id,
): Promise<number> {
  if ((await ports.mailboxes.find(owner, accountId, mailboxId)) === null) throw new NotFound();
  const upTo = (await ports.journal.heads([owner])).get(owner) ?? 0;
  let deleted = 0;
  for (;;) {
    const { result, events } = await ports.messages.removeSome(owner, { mailboxId, upTo }, emptyingBatch);
    ports.bus.announce(owner, events);
    if (result === 0) return deleted;
    deleted += result;
  }
}
