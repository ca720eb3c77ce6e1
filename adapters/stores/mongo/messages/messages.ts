import { rawBody } from '#adapters/stores/mongo/bodies/body-writer.ts';
import type { DatedReads } from '#adapters/stores/mongo/cache/reader.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { createRemovals } from '#adapters/stores/mongo/removals.ts';
import type { MessageStore } from '#core/messages/message.ts';
import { createMessageChanges } from './message-changes.ts';
import { createMessageList } from './message-list.ts';
import { createMessageLookup } from './message-lookup.ts';

export function createMessages(
  context: Context,
): Omit<MessageStore, 'find' | 'list'> & DatedReads['messages'] {
  const lookup = createMessageLookup(context);
  return {
    ...createMessageList(context),
    ...createMessageChanges(context),
    ...createRemovals(context),
    find: lookup.message,
    async raw(owner, id, visibility) {
      const body = await lookup.body(owner, id, visibility);
      return body === null ? null : rawBody(context.bodies, body.mailId, body.sizeBytes);
    },
  };
}
