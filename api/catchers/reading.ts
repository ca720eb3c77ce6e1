import { sendBytes } from '#api/message-source.ts';
import { bytesOperation, operation } from '#api/operation.ts';
import { messageShape } from '#api/shapes/message.ts';
import { may } from '#core/access/caller.ts';
import { found } from '#core/errors.ts';
import { type Id, parseId } from '#core/ids.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import type { Message } from '#core/messages/message.ts';
import { readMessage, readRaw } from '#core/messages/read-message.ts';
import type { CatcherCall } from './route.ts';

const getMessageHtml = bytesOperation('getMessageHtml');
const updateMessage = operation('updateMessage', messageShape);

/** Returns the id that a path names. Throws NotFound. */
export function pathId({ params }: Pick<CatcherCall, 'params'>): Id {
  return found(parseId(params.id ?? ''));
}

/** Reads a message: by default, the message that the path names. Throws NotFound. */
export function messageOf(
  { services: { clock, retentionDays }, reader, caller, params }: CatcherCall,
  id = pathId({ params }),
): Promise<Message> {
  return readMessage({ messages: reader.messages, clock, retentionDays }, caller.team, id);
}

/** Responds with a message's sanitized HTML, with its pictures. */
export async function sendHtml(call: CatcherCall, id: Id): Promise<undefined> {
  await getMessageHtml(call, { ids: { message_id: id }, query: { images: 'inline' } });
  call.ctx.type = 'text/html';
}

/** Responds with a message's bytes as received, as a file if `ending` is set. */
export async function sendRaw(
  call: CatcherCall,
  type: string,
  ending = '',
  id = pathId(call),
): Promise<undefined> {
  const { services, caller, ctx } = call;
  const raw = await readRaw(services, caller.team, id);
  if (ending !== '') ctx.attachment(`${id}${ending}`);
  return sendBytes(ctx, type, raw.sizeBytes, () => raw.open());
}

/** Marks a message as read. A read-only key leaves it unchanged. */
export async function markRead(call: CatcherCall, message: Message): Promise<Message> {
  if (!message.isRead && may(call.caller, 'write'))
    await updateMessage(call, { ids: { message_id: message.id }, body: { isRead: true } });
  return message;
}

/** Returns the envelope recipients that are not among the named addresses. */
export function blindCopies({ envelope }: Message, named: NamedAddress[]): NamedAddress[] {
  const addresses = new Set(named.map(({ address }) => address.toLowerCase()));
  const others = envelope.rcptTo.filter((address) => !addresses.has(address.toLowerCase()));
  return others.map((address) => ({ name: '', address }));
}
