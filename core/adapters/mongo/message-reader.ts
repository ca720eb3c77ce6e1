import type { ClientSession } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { Message, Visibility } from '#core/messages/message.ts';
import { readContents } from './contents.ts';
import type { Context } from './context.ts';
import { type SeenRow, toMessage, unexpired } from './message-rows.ts';
import type { ContentRow, ConversationRow, MessageRow } from './rows.ts';

type Found = MessageRow & { content: ContentRow[]; conversation: ConversationRow[] };

/** A message as it is stored, with its id as a thread, if it has one. */
export type StoredMessage = { row: MessageRow; threadId: Id | null; content: ContentRow };

/** Finds a visible message in a living mailbox, with all that belongs to it, in one query. */
export async function findMessage(
  { collections: { messages } }: Context,
  owner: Id,
  id: Id,
  visibility: Visibility,
  session?: ClientSession,
): Promise<StoredMessage | null> {
  const [found] = await messages
    .aggregate<Found>(
      [
        { $match: { _id: id, owner, ...unexpired(visibility) } },
        beside('mailboxes', 'mailboxId', 'mailbox', [{ $match: { living: true } }, { $project: { _id: 1 } }]),
        { $match: { 'mailbox.0': { $exists: true } } },
        beside('contents', 'mailId', 'content', []),
        beside('conversations', 'conversationId', 'conversation', [{ $match: { size: { $gt: 1 } } }]),
        { $unset: 'mailbox' },
      ],
      session === undefined ? {} : { session },
    )
    .toArray();
  if (found === undefined) return null;
  const {
    content: [content],
    conversation: [conversation],
    ...row
  } = found;
  return content === undefined ? null : { row, threadId: conversation?.earliest ?? null, content };
}

/** The message as its readers see it. Throws NotFound where it is removed meanwhile. */
export async function wholeMessage(
  context: Context,
  { row, threadId, content }: Pick<StoredMessage, 'threadId' | 'content'> & { row: SeenRow },
): Promise<Message> {
  const contents = await readContents(context, [content]);
  const decoded = contents.get(content._id);
  if (decoded === undefined) throw new Error(`no content of mail ${content._id}`);
  return toMessage(row, threadId, decoded);
}

function beside(from: string, localField: string, as: string, pipeline: object[]) {
  return { $lookup: { from, localField, foreignField: '_id', as, pipeline } };
}
