import { rawBody } from '#adapters/stores/mongo/bodies/bodies.ts';
import type { DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { appendEvents, numbered } from '#adapters/stores/mongo/journal.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { countsOf, isSentCopy } from '#core/accounts/room.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import { isTold } from '#core/messages/change-message.ts';
import type { Message, MessageStore, Visibility } from '#core/messages/message.ts';
import { createBulkChanges } from './bulk-change.ts';
import { createMessageList } from './message-list.ts';
import { createMessageLookup, findMessage, type StoredMessage, wholeMessage } from './message-lookup.ts';
import { createRemovals } from './message-removal.ts';
import { dueAt, marksOf, tagFields } from './message-rows.ts';
import { createSelections } from './message-selection.ts';

export function createMessages(
  context: Context,
): Omit<MessageStore, 'find' | 'list'> & DatedReads['messages'] {
  const lookup = createMessageLookup(context);
  return {
    ...createMessageList(context),
    ...createMessageChanges(context),
    ...createRemovals(context),
    ...createSelections(context),
    ...createBulkChanges(context),
    find: lookup.message,
    async raw(owner, id, visibility) {
      const body = await lookup.body(owner, id, visibility);
      return body === null ? null : rawBody(context.bodies, body.mailId, body.sizeBytes);
    },
  };
}

/** Changes of single messages, with their counts and their events. */
function createMessageChanges(context: Context): Pick<MessageStore, 'update'> {
  const { withTeamLock, collections } = context;
  const { messages, mailboxes } = collections;

  const committed = async (
    lock: TeamLock,
    stored: StoredMessage,
    tell: boolean,
    { now }: Visibility,
  ): Promise<Committed<Message>> => {
    const { owner } = stored.row;
    const events = tell ? numbered(lock, owner, [updated(stored.row, now)]) : [];
    await appendEvents(context, lock, owner, events);
    return { result: await wholeMessage(context, stored), owner, events };
  };

  return {
    update: (owner, id, change, visibility) =>
      withTeamLock([owner], async (lock) => {
        const { session } = lock;
        const found = await findMessage(context, owner, id, visibility, session);
        if (found === null) return null;
        const before = found.row;
        const row = { ...before, ...change };
        const moves = row.mailboxId !== before.mailboxId;
        if (moves) {
          const wanted = { _id: row.mailboxId, accountId: before.accountId, ...notDeleted };
          const target = await mailboxes.findOne(wanted, { session });
          if (target === null) return 'no-mailbox';
          row.sentCopy = isSentCopy(before.copy, target.pathKey);
        }
        row.dueAt = dueAt(row);
        row.marks = marksOf(row);
        const tagged = change.tags === undefined ? {} : tagFields(before, change.tags);
        const { mailboxId, sentCopy, isRead, isFlagged, expiresAt, autoDelete, marks } = row;
        const place = moves ? { mailboxId, sentCopy } : {};
        const written = {
          ...place,
          ...tagged,
          isRead,
          isFlagged,
          expiresAt,
          autoDelete,
          dueAt: row.dueAt,
          marks,
        };
        await messages.updateOne({ _id: id }, { $set: written }, { session });
        if (moves) {
          const { mailboxId: left } = before;
          await mailboxes.updateOne({ _id: left }, { $inc: countsOf([before], -1) }, { session });
          await mailboxes.updateOne({ _id: mailboxId }, { $inc: countsOf([row], 1) }, { session });
        } else if (before.isRead !== isRead) {
          const unread = isRead ? -1 : 1;
          await mailboxes.updateOne({ _id: mailboxId }, { $inc: { unread } }, { session });
        }
        const told = ({ isRead, isFlagged, tags = [] }: MessageRow) => ({ isRead, isFlagged, tags });
        const tell = moves || isTold(told(before), told(row));
        return committed(lock, { ...found, row }, tell, visibility);
      }),
  };
}

function updated(row: MessageRow, at: Date): Omit<MailEvent & { type: 'message.updated' }, 'number'> {
  const { _id: messageId, number: messageNumber, accountId, mailboxId, isRead, isFlagged } = row;
  return { type: 'message.updated', messageId, messageNumber, accountId, mailboxId, at, isRead, isFlagged };
}
