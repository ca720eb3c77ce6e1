import { type Call, get, type Route } from '#api/route.ts';
import { linksOf, shownMessage } from '#api/shapes/message.ts';
import { type ListedMessages, messageList } from '#api/shapes/message-list.ts';
import {
  allMessagesQuery,
  conditionsOf,
  filterOf,
  type ListQuery,
  mailboxMessagesQuery,
  requireWait,
} from '#api/shapes/message-query.ts';
import { summaryShape, unexpectedMessageShape } from '#api/shapes/message-summary.ts';
import { HttpFault } from '#api/shapes/problem.ts';
import { whileAllowed } from '#api/while-allowed.ts';
import { Overloaded, unlessGone } from '#core/errors.ts';
import { listMessages, requireMailbox, type Since, waitForMessages } from '#core/messages/list-messages.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { type Condition, nearMisses } from '#core/messages/near-misses.ts';
import { readMessage } from '#core/messages/read-message.ts';
import type { Waited } from '#core/messages/waits.ts';

const success = {
  description: 'A page of messages, newest first',
  shape: messageList,
  headers: { 'X-Wait-Result': 'WaitResult' },
};
const description =
  'With `wait`, responds as soon as `count` matching messages have arrived after `after` or `since`. X-Wait-Result says whether they arrived in time.';
const conflict = {
  description: 'A message arrived despite `expect=none`.',
  schema: unexpectedMessageShape,
};

export const messageListRoutes: Route[] = [
  get({
    path: '/api/messages',
    operationId: 'listAllMessages',
    summary: 'List or wait for messages in all your accounts',
    permission: 'mail',
    description,
    query: allMessagesQuery,
    success,
    conflict,
    handle: (call) => list(call, { filter: filterOf(call.query) }),
  }),
  get({
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages',
    operationId: 'listMessages',
    summary: 'List or wait for messages in a mailbox',
    permission: 'mail',
    description,
    query: mailboxMessagesQuery,
    success,
    conflict,
    async handle(call) {
      const place = { accountId: call.ids.account_id, mailboxId: call.ids.mailbox_id };
      const filter = { ...filterOf(call.query), ...place };
      const placed: Condition = { name: 'mailbox_id', filter: place };
      const required = requireMailbox(call.reader.mailboxes, call.caller.team, place);
      if (call.query.wait !== undefined) {
        const mailbox = await required;
        const listed = await list(call, { filter, placed: [placed], anyEvent: mailbox.path === 'Sent' });
        // Nothing arrives in a deleted mailbox, and nobody should mistake that for success.
        if (call.query.expect === 'none')
          await requireMailbox(call.services.mailboxes, call.caller.team, place);
        return listed;
      }
      // Reads the mailbox and the list in parallel. The mailbox's 404 takes precedence over a list error.
      const [mailbox, listed] = await Promise.allSettled([required, list(call, { filter })]);
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
 * List filter. `placed` are the filter's conditions that are not in the query. `anyEvent` also checks the list at events of other
 * mailboxes, because a copy in Sent comes with such an event.
 */
type Wanted = { filter: MessageFilter; placed?: Condition[]; anyEvent?: boolean };

/** Responds with a page, after a wait if the query asks for one, and with its only message if the query includes it. */
async function list(call: ListCall, wanted: Wanted): Promise<ListedMessages> {
  const listed = await listOrWait(call, wanted);
  const [only, ...others] = listed.items;
  if (call.query.include === undefined || only === undefined || others.length > 0) return listed;
  const { services, caller } = call;
  const message = await unlessGone(readMessage(services, caller.team, only.id));
  return message === null
    ? listed
    : { ...listed, message: shownMessage(message, linksOf(services.config, caller)) };
}

async function listOrWait(call: ListCall, { filter, placed = [], anyEvent = false }: Wanted) {
  const { services, reader, caller, ctx, query } = call;
  const { page, limit, after, since, wait, count, expect, explain } = query;
  requireWait(query);
  const start: Since = {
    ...(after === undefined ? {} : { messageId: after }),
    ...(since === undefined ? {} : { cursor: since }),
  };
  if (wait === undefined) {
    const asker = {
      user: caller.userId,
      // Creates the signal only when it is accessed, because only searches need it.
      get signal() {
        return call.signal;
      },
    };
    const { journal, searches, clock, retentionDays } = services;
    const ports = { messages: reader.messages, journal, searches, clock, retentionDays };
    return listMessages(ports, caller.team, filter, start, { page, limit }, asker);
  }
  const result = await whileAllowed(call, async (signal) => {
    const wanted = expect === 'none' ? { page: 1, limit: 1 } : { page, limit };
    const terms = { waiter: caller, count, waitMs: wait * 1000, signal };
    const waited = await waitForMessages(services, caller.team, { filter, anyEvent }, start, wanted, terms);
    if (expect === 'none') requireNone(waited, signal);
    if (waited.met || explain === 0 || expect === 'none') return waited;
    const conditions = [...placed, ...conditionsOf(query)];
    const asker = { user: caller.userId, signal };
    const missed = await nearMisses(services, caller.team, conditions, start, asker);
    return missed === null ? waited : { ...waited, list: { ...waited.list, nearMisses: missed } };
  });
  ctx.set('X-Wait-Result', result.met || expect === 'none' ? 'met' : 'timeout');
  return result.list;
}

/**
 * Throws the problem for a message that arrived. Throws Overloaded for an interrupted wait, because a message might still have arrived.
 */
function requireNone({ list: { items } }: Waited, signal: AbortSignal): void {
  const [message] = items;
  if (message !== undefined)
    throw new HttpFault({
      status: 409,
      code: 'unexpected_message',
      detail: `Message ${message.id} arrived, but none was expected`,
      members: { message: summaryShape.present(message) },
    });
  if (signal.aborted) throw new Overloaded('The wait was cut short');
}
