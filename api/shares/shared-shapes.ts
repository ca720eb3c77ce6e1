import { attachmentShape, messageShape, type ShownMessage } from '#api/shapes/message.ts';
import { summaryShape } from '#api/shapes/message-summary.ts';
import { answerOf, each, url } from '#api/shapes/response-shape.ts';
import type { MessageSummary } from '#core/messages/message.ts';

const { id, msgid, subject, intro, code, main_link, from_address, from_name } = summaryShape.fields;
const { to_addresses, received_at, size_bytes, has_attachments } = summaryShape.fields;

/**
 * Row of a list as a link shows it. Lists each field explicitly, so a new message field stays hidden from strangers. Omits the fields for
 * the team, such as tags, read flags, and ids of other objects.
 */
export const sharedSummary = answerOf<MessageSummary & { url: string }>()(null, {
  ...{ id, msgid, subject, intro, code, main_link, from_address, from_name },
  ...{ to_addresses, received_at, size_bytes, has_attachments },
  url: [url(), (message) => message.url],
});

const { from, to, cc, reply_to, date, text, text_truncated, html, html_truncated } = messageShape.fields;
const { codes, links } = messageShape.fields;

/** Message as a link shows it: without its envelope, header, provider request and blind copies. Its links lead below the share link. */
export const sharedMessage = answerOf<ShownMessage>()(null, {
  ...{ id, msgid, subject, intro, code, main_link, from_address, from_name },
  ...{ to_addresses, received_at, size_bytes, has_attachments },
  ...{ from, to, cc, reply_to, date, text, text_truncated, html, html_truncated, codes, links },
  attachments: each(attachmentShape, (message) =>
    message.content.attachments.map((one) => ({
      ...one,
      url: message.links.url(`/attachments/${one.id}`),
    })),
  ),
});
