import type { ClientSession } from 'mongodb';
import { readContent } from '#adapters/stores/mongo/bodies/bodies.ts';
import { createBatchLoader, type DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import {
  type ContentNote,
  type ConversationRow,
  type MailboxRow,
  type MessageRow,
  notDeleted,
} from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import type { Message, Visibility } from '#core/messages/message.ts';
import { isVisible } from '#core/messages/retention.ts';
import { type SeenRow, toMessage, unexpired, unseenFields } from './message-rows.ts';

/** Finds visible messages of an owner, in mailboxes that are not deleted. */
export type MessageLookup = {
  message: DatedReads['messages']['find'];
  /** Finds the email whose bytes the message has, and the number of bytes. */
  body(owner: Id, id: Id, visibility: Visibility): Promise<Pick<SeenRow, 'mailId' | 'sizeBytes'> | null>;
};

/**
 * Reads single messages, with everything that belongs to them. Reads rows by id, in batches for several callers, which takes a third of
 * the work of a query that joins them. Uses such a query only if a message changes in the meantime, which is rare.
 */
export function createMessageLookup(context: Context): MessageLookup {
  const { messages, mailboxes, conversations } = context.collections;
  const byId = <T extends { _id: Id }>(read: (_id: { $in: Id[] }) => Promise<T[]>) =>
    createBatchLoader<Id, T>(async (ids) => new Map((await read({ $in: ids })).map((row) => [row._id, row])));
  const rowOf = byId<SeenRow>((_id) => messages.find({ _id }, { projection: unseenFields }).toArray());
  const mailboxOf = byId<Pick<MailboxRow, '_id' | 'owner' | 'deleted'>>((_id) =>
    mailboxes.find({ _id }, { projection: { owner: 1, deleted: 1 } }).toArray(),
  );
  const mailboxExists = (owner: Id, mailboxId: Id, notBefore?: number): Promise<boolean> =>
    context.cachedRead(owner, `mailboxExists ${mailboxId}`, {
      async read() {
        const mailbox = await mailboxOf(mailboxId);
        return mailbox?.owner === owner && !mailbox.deleted;
      },
      bytes: () => 0,
      isFresh: () => true,
      notBefore,
    });
  const contentOf = createBatchLoader<Id, ContentNote>((mailIds) => context.bodies.notes(mailIds));
  const conversationOf = byId<ConversationRow>((_id) => conversations.find({ _id }).toArray());

  const visibleRow = async (owner: Id, id: Id, visibility: Visibility): Promise<SeenRow | null> => {
    const row = await rowOf(id);
    return row !== null && row.owner === owner && isVisible(row, visibility) ? row : null;
  };
  const read = async (owner: Id, id: Id, visibility: Visibility, notBefore?: number) => {
    const row = await visibleRow(owner, id, visibility);
    if (row === null) return null;
    const { mailboxId, mailId, conversationId } = row;
    const [exists, content, conversation] = await Promise.all([
      mailboxExists(owner, mailboxId, notBefore),
      contentOf(mailId),
      conversationId === null ? null : conversationOf(conversationId),
    ]);
    const lost = conversationId !== null && conversation === null;
    if (exists && content !== null && !lost) {
      const threadId = conversation !== null && conversation.size > 1 ? conversation.earliest : null;
      return { row, threadId, content };
    }
    // The message was moved, removed or joined to another conversation since its row was read, so this reads its current state.
    return findMessage(context, owner, id, visibility);
  };

  return {
    message: (owner, id, visibility, notBefore) =>
      context.cachedRead<Message | null>(owner, `message ${id}`, {
        async read() {
          const found = await read(owner, id, visibility, notBefore);
          return found === null ? null : wholeMessage(context, found);
        },
        bytes: (message) => (message === null ? 0 : contentBytes(message)),
        isFresh: (message) => message !== null && isVisible(message, visibility),
        notBefore,
      }),
    async body(owner, id, visibility) {
      const row = await visibleRow(owner, id, visibility);
      if (row === null || (await mailboxExists(owner, row.mailboxId))) return row;
      return (await findMessage(context, owner, id, visibility))?.row ?? null;
    },
  };
}

/** Estimates a content's memory in bytes: its text, and 200 bytes for each of its other parts. */
function contentBytes({ content }: Message): number {
  const { text, html, headers, links, attachments } = content;
  const parts = headers.length + links.length + attachments.length;
  return (text?.length ?? 0) + (html?.length ?? 0) + 200 * parts;
}

type Found = MessageRow & { conversation: ConversationRow[] };

/** Stored message, with its thread's id, if any. */
export type StoredMessage = { row: MessageRow; threadId: Id | null; content: ContentNote };

/** Finds a visible message with everything that belongs to it, in a mailbox that is not deleted. */
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

/** Returns a message with its content. Throws NotFound if the message was removed in the meantime. */
export async function wholeMessage(
  context: Context,
  { row, threadId, content }: Pick<StoredMessage, 'threadId' | 'content'> & { row: SeenRow },
): Promise<Message> {
  return toMessage(row, threadId, await readContent(context, row.mailId, content));
}

function beside(from: string, localField: string, as: string, pipeline: object[]) {
  return { $lookup: { from, localField, foreignField: '_id', as, pipeline } };
}
