import type { MessageStore } from '#core/messages/message.ts';
import { rawBody } from './body-writer.ts';
import type { Context } from './context.ts';
import { createMessageChanges } from './message-changes.ts';
import { createMessageList } from './message-list.ts';
import { createMessageLookup } from './message-lookup.ts';
import { createRemovals } from './removals.ts';

export function createMessages(context: Context): MessageStore {
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
