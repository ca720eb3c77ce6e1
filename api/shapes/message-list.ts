import type { MessageList } from '#core/messages/message.ts';
import type { NearMiss } from '#core/messages/near-misses.ts';
import type { Page } from '#core/page.ts';
import { messageShape, type ShownMessage } from './message.ts';
import { nearMissShape, summaryShape } from './message-summary.ts';
import { listFields, presentList } from './page.ts';
import { type AnswerShape, listOf, responseShape, type Wire, wholeNumber } from './response-shape.ts';

const listSchema = responseShape('MessageList', {
  ...listFields(summaryShape.schema),
  cursor: wholeNumber()
    .example(42)
    .description('Your newest event number when the list was read, for `since`.'),
});

/**
 * Page of messages. `nearMisses` belong to a wait that asked for an explanation of its timeout. `message` is the page's only
 * message, if requested.
 */
export type ListedMessages = MessageList & { nearMisses?: NearMiss[]; message?: ShownMessage };

type ListAnswer = Wire<typeof listSchema> & {
  near_misses?: Wire<typeof nearMissShape>[];
  message?: Wire<typeof messageShape>;
};

export const messageList: AnswerShape<ListedMessages, ListAnswer> = {
  schema: listSchema.append<ListAnswer>({
    near_misses: listOf(nearMissShape.schema).description(
      'With `explain`, if too few messages match: messages that arrived, and refusals of mail to the address, closest match first. Absent if the search for them failed.',
    ),
    message: messageShape.schema.description(
      'With `include=message`, if the page has one message: that message.',
    ),
  }),
  present: ({ nearMisses, message, ...list }, { query }) => ({
    ...presentList(list, query as Page, summaryShape),
    cursor: list.cursor,
    ...(nearMisses && { near_misses: nearMisses.map(nearMissShape.present) }),
    ...(message && { message: messageShape.present(message) }),
  }),
};
