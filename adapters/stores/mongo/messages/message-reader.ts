import type { ClientSession } from 'mongodb';
import { readContent } from '#adapters/stores/mongo/bodies/contents.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import {
  type ContentNote,
  type ConversationRow,
  type MessageRow,
  notDeleted,
} from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import type { Message, Visibility } from '#core/messages/message.ts';
import { type SeenRow, toMessage, unexpired } from './message-rows.ts';

type Found = MessageRow & { conversation: ConversationRow[] };

/** Stored message, with the id of its thread if it has one. */
export type StoredMessage = { row: MessageRow; threadId: Id | null; content: ContentNote };

/** Finds a visible message in a mailbox that is not deleted, with all that belongs to it. */
export async function findMessage(
  { bodies, collections: { messages } }: Context,
  owner: Id,
  id: Id,
  visibility: Visibility,
  session?: ClientSession,
): Promise<StoredMessage | null> {
  const options = session === undefined ? {} : { session };
  const [found] = await messages
    .aggregate<Found>(
      [
        { $match: { _id: id, owner, ...unexpired(visibility) } },
        beside('mailboxes', 'mailboxId', 'mailbox', [
          { $match: { owner, ...notDeleted } },
          { $project: { _id: 1 } },
        ]),
        { $match: { 'mailbox.0': { $exists: true } } },
        beside('conversations', 'conversationId', 'conversation', [{ $match: { size: { $gt: 1 } } }]),
        { $unset: 'mailbox' },
      ],
      options,
    )
    .toArray();
  if (found === undefined) return null;
  const {
    conversation: [conversation],
    ...row
  } = found;
  const content = (await bodies.notes([row.mailId], options)).get(row.mailId);
  return content === undefined ? null : { row, threadId: conversation?.earliest ?? null, content };
}

/** Returns a message with its content. Throws NotFound if the message is removed meanwhile. */
export async function wholeMessage(
  context: Context,
  { row, threadId, content }: Pick<StoredMessage, 'threadId' | 'content'> & { row: SeenRow },
): Promise<Message> {
  return toMessage(row, threadId, await readContent(context, row.mailId, content));
}

function beside(from: string, localField: string, as: string, pipeline: object[]) {
  return { $lookup: { from, localField, foreignField: '_id', as, pipeline } };
}
