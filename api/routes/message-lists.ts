import { requireNow } from '#api/middleware/admission.ts';
import { type Call, type Route, route } from '#api/route.ts';
import {
  allMessagesQuery,
  filterOf,
  type ListQuery,
  mailboxMessagesQuery,
} from '#api/shapes/message-query.ts';
import { messageList } from '#api/shapes/message-summary.ts';
import { LinkedController } from '#core/linked-controller.ts';
import { listMessages, requireMailbox, type Since, waitForMessages } from '#core/messages/list-messages.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';

const success = {
  description: 'A page of messages, the newest first',
  shape: messageList,
  headers: { 'X-Wait-Result': 'WaitResult' },
};
const description =
  'With `wait`, answers as soon as `count` messages match that came after `after` or `since`; X-Wait-Result tells whether they did.';

export const messageListRoutes: Route[] = [
  route({
    method: 'get',
    path: '/api/messages',
    operationId: 'listAllMessages',
    summary: 'List, or wait for, messages of all your accounts',
    description,
    query: allMessagesQuery,
    success,
    handle: (call) => list(call, filterOf(call.query)),
  }),
  route({
    method: 'get',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages',
    operationId: 'listMessages',
    summary: 'List, or wait for, messages of a mailbox',
    description,
    query: mailboxMessagesQuery,
    success,
    async handle(call) {
      const place = { accountId: call.ids.account_id, mailboxId: call.ids.mailbox_id };
      const filter = { ...filterOf(call.query), ...place };
      const required = requireMailbox(call.reader.mailboxes, call.caller.team, place);
      if (call.query.wait !== undefined) {
        const mailbox = await required;
        return list(call, filter, mailbox.path === 'Sent');
      }
      // Reads the mailbox and the list in parallel. A 404 of the mailbox precedes an error of the list.
      const [mailbox, listed] = await Promise.allSettled([required, list(call, filter)]);
      if (mailbox.status === 'rejected') throw mailbox.reason;
      if (listed.status === 'rejected') throw listed.reason;
      return listed.value;
    },
  }),
];

type ListCall = Pick<
  Call<string, ListQuery, null, 'identified'>,
  'services' | 'credentials' | 'caller' | 'reader' | 'query' | 'ctx' | 'signal'
>;

/**
 * Answers with a page, after a wait if the query has one. `anyEvent` checks the list at events of other mailboxes too, since
 * a copy in Sent comes with such an event.
 */
async function list(call: ListCall, filter: MessageFilter, anyEvent = false) {
  const { services, credentials, reader, caller, ctx } = call;
  const { page, limit, after, since, wait, count } = call.query;
  const start: Since = {
    ...(after === undefined ? {} : { messageId: after }),
    ...(since === undefined ? {} : { cursor: since }),
  };
  const wanted = { page, limit };
  if (wait === undefined) {
    const asker = {
      user: caller.userId,
      // Makes the signal on access, which only searches need.
      get signal() {
        return call.signal;
      },
    };
    const { journal, searches, clock, retentionDays } = services;
    const ports = { messages: reader.messages, journal, searches, clock, retentionDays };
    return listMessages(ports, caller.team, filter, start, wanted, asker);
  }
  // A request that waits ends with its credential.
  using ended = new LinkedController(call.signal);
  const unwatch = credentials.follow(caller, () => ended.abort());
  const terms = { user: caller.userId, count, waitMs: wait * 1000, signal: ended.signal };
  const result = await waitForMessages(
    services,
    caller.team,
    { filter, anyEvent },
    start,
    wanted,
    terms,
  ).finally(unwatch);
  // Checks the credential after the list was read: the answer never has mail that came after the credential ended.
  if (!(await credentials.confirm(caller))) await requireNow(services, caller, 'read');
  ctx.set('X-Wait-Result', result.met ? 'met' : 'timeout');
  return result.list;
}
