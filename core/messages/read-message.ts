import { found, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { decodeBody } from './attachment-body.ts';
import type { Attachment } from './content.ts';
import type { Message, MessageStore, RawMessage } from './message.ts';
import { visibilityAt } from './retention.ts';

/** Ports for a read: the messages, the clock, and the number of days that messages are kept. */
export type ReadPorts = { messages: Pick<MessageStore, 'find'>; clock: () => Date; retentionDays: number };

type RawPorts = ReadPorts & { messages: Pick<MessageStore, 'raw'> };

/** Account and mailbox in a request's path. The message must be in this mailbox. */
export type Place = { accountId: Id; mailboxId: Id };

/** Reads a whole message. Throws NotFound. */
export async function readMessage(ports: ReadPorts, owner: Id, id: Id, place?: Place): Promise<Message> {
  const visibility = visibilityAt(ports.clock(), ports.retentionDays);
  const message = found(await ports.messages.find(owner, id, visibility));
  if (place && (message.accountId !== place.accountId || message.mailboxId !== place.mailboxId))
    throw new NotFound();
  return message;
}

/** Reads a message's bytes as they were received. Throws NotFound. */
export async function readRaw(ports: RawPorts, owner: Id, id: Id): Promise<RawMessage> {
  return found(await ports.messages.raw(owner, id, visibilityAt(ports.clock(), ports.retentionDays)));
}

/** Reads one attachment: extracts it from the raw bytes and decodes it. Throws NotFound. */
export async function readAttachment(
  ports: RawPorts,
  owner: Id,
  id: Id,
  attachmentId: number,
): Promise<{ attachment: Attachment; bytes: AsyncIterable<Uint8Array> }> {
  const message = await readMessage(ports, owner, id);
  const attachment = found(message.content.attachments.find((candidate) => candidate.id === attachmentId));
  const raw = await readRaw(ports, owner, id);
  return { attachment, bytes: decodeBody(raw.open(attachment.body), attachment.body.encoding) };
}
