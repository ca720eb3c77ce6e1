import { rawBody } from '#adapters/stores/mongo/bodies/bodies.ts';
import type { DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { MessageStore } from '#core/messages/message.ts';
import { createChanges } from './bulk-change.ts';
import { createMessageList } from './message-list.ts';
import { createMessageLookup } from './message-lookup.ts';
import { createRemovals } from './message-removal.ts';
import { createSelections } from './message-selection.ts';

export function createMessages(
  context: Context,
): Omit<MessageStore, 'find' | 'list'> & DatedReads['messages'] {
  const lookup = createMessageLookup(context);
  return {
    ...createMessageList(context),
    ...createRemovals(context),
    ...createSelections(context),
    ...createChanges(context),
    find: lookup.message,
    async raw(owner, id, visibility) {
      const body = await lookup.body(owner, id, visibility);
      return body === null ? null : rawBody(context.bodies, body.mailId, body.sizeBytes);
    },
  };
}
