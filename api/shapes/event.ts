import Joi from 'joi';
import type { EventType, MailEvent } from '#core/events/event.ts';
import { limits } from '#core/limits.ts';
import { firstCharacters } from '#core/messages/mail-record.ts';
import { requestShape } from './request-shape.ts';
import { queryInteger } from './values.ts';

const eventTypes: EventType[] = ['message.received', 'message.deleted', 'message.updated'];
const defaultTypes: EventType[] = ['message.received', 'message.deleted'];
const eventNames: Record<EventType, string> = {
  'message.received': 'new-message',
  'message.deleted': 'message-deleted',
  'message.updated': 'message-updated',
};

export type StreamQuery = {
  once: number;
  lastEventId?: number;
  accountId?: number;
  mailboxId?: number;
  types: EventType[];
};

const id = () => queryInteger(1, Number.MAX_SAFE_INTEGER).empty('');
const typesPattern = `^((${eventTypes.join('|')})(,(${eventTypes.join('|')}))*)?$`.replaceAll('.', '\\.');

const types = Joi.string()
  .empty('')
  .pattern(new RegExp(typesPattern))
  .message(`must be a comma-separated list of ${eventTypes.join(', ')}`)
  .custom((text: string) => [...new Set(text.split(','))])
  .meta({
    swagger: { type: 'string', pattern: typesPattern, default: defaultTypes.join(',') },
    swaggerOverride: true,
  })
  .default(defaultTypes);

export const streamQuery = requestShape<StreamQuery>('StreamQuery', {
  once: queryInteger(0, 1, 0).description('1: sends the latest event, then ends the stream.'),
  lastEventId: queryInteger(0, Number.MAX_SAFE_INTEGER).description(
    'Id of the event to start after. The header Last-Event-ID does the same and takes precedence.',
  ),
  accountId: id(),
  mailboxId: id(),
  types,
});

/** Data of a frame about a message. `ids` are the messages that a bulk change updated together, including `id`. */
type MessageEventData = { id: number; account_id: number; mailbox_id: number } & (
  | { type: 'message.received'; subject: string }
  | { type: 'message.updated'; is_read: boolean; is_flagged: boolean; ids?: number[] }
  | { type: 'message.deleted' }
);

/** Data of a frame. `resync` says that the client missed events and must read its lists again. */
export type EventData = MessageEventData | { type: 'resync' };

const resync: EventData = { type: 'resync' };
export const resyncFrame = `event: resync\ndata: ${JSON.stringify(resync)}\n\n`;

/** Returns an event as a frame of a stream (WHATWG HTML section 9.2.5). */
export function presentFrame(event: MailEvent): string {
  return `id: ${event.number}\nevent: ${eventNames[event.type]}\ndata: ${JSON.stringify(presentEvent(event))}\n\n`;
}

function presentEvent(event: MailEvent): MessageEventData {
  const { type, messageId: id, accountId: account_id, mailboxId: mailbox_id } = event;
  switch (type) {
    case 'message.received': {
      const subject = firstCharacters(event.subject, limits.answers.subjectCharacters);
      return { type, id, account_id, mailbox_id, subject };
    }
    case 'message.updated':
      return {
        ...{ type, id, account_id, mailbox_id, is_read: event.isRead, is_flagged: event.isFlagged },
        ...(event.messageIds === undefined ? {} : { ids: event.messageIds }),
      };
    case 'message.deleted':
      return { type, id, account_id, mailbox_id };
  }
}
