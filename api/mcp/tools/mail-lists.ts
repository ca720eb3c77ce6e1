import Joi from 'joi';
import { repeated } from '#api/mcp/repeated.ts';
import { fieldsOf, partOf, tool } from '#api/mcp/tool.ts';
import { operation } from '#api/operation.ts';
import { messageList } from '#api/shapes/message-list.ts';
import { allMessagesQuery, type ListQuery } from '#api/shapes/message-query.ts';
import { nearMissShape, summaryShape } from '#api/shapes/message-summary.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { listOf, responseShape, wholeNumber } from '#api/shapes/response-shape.ts';
import { queryInteger } from '#api/shapes/values.ts';
import { Overloaded } from '#core/errors.ts';
import { limits } from '#core/limits.ts';

const listMessages = operation('listAllMessages', messageList);

const item = partOf(
  summaryShape,
  ...(['id', 'subject', 'from_address', 'from_name', 'to_addresses', 'received_at', 'intro'] as const),
  ...(['code', 'main_link', 'is_read', 'has_attachments', 'tags', 'trace_id'] as const),
);
const mails = () => listOf(item.schema).description('Newest first.');

const conditions = ['query', 'address', 'from', 'subject', 'text', 'tag', 'trace'] as const;
const filters = [...conditions, 'unread', 'hasAttachments', 'mailboxPath'] as const;
const mostItems = limits.mcp.messages;

export const searchMail = tool({
  name: 'search_mail',
  title: 'Search mail',
  description:
    'Lists received mail, newest first. Without arguments, lists the newest mail in all accounts. `address` is the exact recipient. `q` accepts words, "phrases", -exclusions, OR and operators such as from: subject: is:unread has:attachment newer_than:2h. Use read_mail to read an email in full.',
  permission: 'mail',
  input: requestShape<Pick<ListQuery, (typeof filters)[number] | 'page' | 'limit'>>('SearchMail', {
    ...fieldsOf(allMessagesQuery, ...filters, 'page'),
    limit: queryInteger(1, mostItems, 20).description('Maximum number of messages.'),
  }),
  output: responseShape(null, {
    messages: mails(),
    total: wholeNumber().description('Number of matching messages on all pages.'),
  }),
  async run(call, input) {
    const { items, pagination } = await listMessages(call, { query: { ...input, count: 1, explain: 0 } });
    return { answer: { messages: items.map(item.pick), total: pagination.total } };
  },
});

const mostSeconds = limits.mcp.waitMs / 1000;

export const waitForMail = tool({
  name: 'wait_for_mail',
  title: 'Wait for mail',
  description: `Returns as soon as \`count\` messages match all conditions, or after \`within\` seconds with the mail that arrived instead. Counts existing messages, except those up to and including \`after\`. Use the exact address from create_address, so no other mail matches. To wait for more than ${mostSeconds} s, call it again.`,
  permission: 'mail',
  input: requestShape<Pick<ListQuery, (typeof conditions)[number] | 'after' | 'count'> & { wait: number }>(
    'WaitForMail',
    {
      ...fieldsOf(allMessagesQuery, ...conditions, 'after'),
      count: queryInteger(1, mostItems, 1).description('Number of messages to wait for.'),
      wait: {
        // The REST API calls this field `wait`.
        names: ['within', 'wait'],
        schema: queryInteger(0, mostSeconds, 30).description('Seconds to wait.'),
      },
    },
  ),
  output: responseShape(null, {
    met: Joi.boolean().description('Whether the expected number of messages arrived.'),
    messages: mails(),
    near_misses: listOf(nearMissShape.schema).description(
      'If too few messages match: messages that arrived, with the arguments that each one does not match, and refusals of mail to the address. Closest match first.',
    ),
  }),
  async run(call, input) {
    const wait = (leftMs: number) => {
      const query = { ...input, wait: Math.ceil(leftMs / 1000), page: 1, limit: mostItems, explain: 1 };
      return listMessages(call, { query });
    };
    const { items, near_misses = [] } = await repeated(input.wait * 1000, call.signal, wait);
    const met = items.length >= input.count;
    if (!met && call.signal.aborted) throw new Overloaded('The wait was cut short');
    return { answer: { met, messages: items.map(item.pick), near_misses } };
  },
});
