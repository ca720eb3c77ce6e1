import { refuseLimited } from '#core/access/caller.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { EventFilter, Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Message, MessageStore } from './message.ts';
import type { MessageFilter } from './message-filter.ts';
import { recipientsOf } from './recipients.ts';
import type { TagStore } from './tag-counts.ts';
import type { Waits } from './waits.ts';

type MailPorts = {
  accounts: AccountStore;
  mailboxes: MailboxStore;
  messages: MessageStore;
  journal: Journal;
  waits: Waits;
  tags: TagStore;
  refusals: { list(team: Id, page: Page): Promise<Slice<unknown>> };
};

const nobody = 0;

/**
 * Narrows the ports for calls that need the permission `mail` for some accounts. Anything in other accounts appears never to have
 * existed, and every other method refuses the call. Event numbers, and therefore list cursors, are still the team's.
 */
export function withinAccounts(ports: MailPorts, accountIds: Id[]): MailPorts {
  const { accounts, mailboxes, messages, journal, waits } = ports;
  const isOwn = (id: Id) => accountIds.includes(id);
  const find: MessageStore['find'] = async (owner, id, visibility) => {
    const message = await messages.find(owner, id, visibility);
    return message !== null && isOwn(message.accountId) ? ownCopy(message) : null;
  };
  return {
    accounts: {
      list: (owner, filter, page) => accounts.list(owner, { ...filter, ids: accountIds }, page),
      find: async (owner, id) => (isOwn(id) ? accounts.find(owner, id) : null),
      findCapture: refuseLimited,
      markFull: refuseLimited,
    },
    mailboxes: {
      list: async (owner, account, page) => (isOwn(account) ? mailboxes.list(owner, account, page) : null),
      find: async (owner, account, id) => (isOwn(account) ? mailboxes.find(owner, account, id) : null),
    },
    messages: {
      find,
      list: (owner, filter, ...others) => messages.list(owner, filterWithin(filter, accountIds), ...others),
      raw: async (owner, id, visibility) =>
        (await find(owner, id, visibility)) && messages.raw(owner, id, visibility),
      update: refuseLimited,
      remove: refuseLimited,
      removeSome: refuseLimited,
      select: refuseLimited,
      changeSome: refuseLimited,
    },
    journal: {
      async messageNumber(team, id) {
        const number = await journal.messageNumber(team, id);
        if (number === null) return null;
        // The journal names the account of a removed message while it still has the event of the message's commit.
        const events = await journal.read(team, number - 1, 1);
        return events.some((event) => event.messageId === id && isOwn(event.accountId)) ? number : null;
      },
      heads: refuseLimited,
      read: refuseLimited,
      latest: refuseLimited,
    },
    waits: {
      wait: (owner, start, page, terms) =>
        waits.wait(
          owner,
          async () => {
            const wanted = await start();
            return { ...wanted, filter: filterWithin(wanted.filter, accountIds) };
          },
          page,
          terms,
        ),
    },
    // Stores keep neither tags nor refusals by account.
    tags: { count: async () => [] },
    refusals: { list: async () => ({ items: [], total: 0 }) },
  };
}

/**
 * Removes from a message what may name recipients of the email's other copies: their envelope addresses, and the provider API request. A
 * copy in Sent keeps the recipients that the account wrote to.
 */
export function ownCopy(message: Message): Message {
  const { submission: _, ...content } = message.content;
  if (message.copy) return { ...message, content };
  const { envelope, toAddresses } = message;
  const rcptTo = recipientsOf(message);
  const recipients = envelope.dsn?.recipients.filter(({ address }) => rcptTo.includes(address)) ?? [];
  const dsn = envelope.dsn && { ...envelope.dsn, recipients };
  const isNamed = content.to.some(({ address }) => address !== '');
  return {
    ...message,
    content,
    toAddresses: isNamed ? toAddresses : rcptTo,
    envelope: { ...envelope, rcptTo, ...(dsn !== undefined && { dsn }) },
  };
}

/** Adds the accounts to a filter. A filter with a single account needs no more work than a list of that account. */
function filterWithin(filter: MessageFilter, accountIds: Id[]): MessageFilter {
  const { accountId, query } = filter;
  if (accountId !== undefined)
    return { ...filter, accountId: accountIds.includes(accountId) ? accountId : nobody };
  const [only = nobody, ...others] = accountIds;
  if (others.length === 0) return { ...filter, accountId: only };
  const within = { field: 'accounts', ids: accountIds, typed: '' } as const;
  return { ...filter, query: { all: query === undefined ? [within] : [within, query] } };
}

/**
 * Returns the filters that together select the events visible to a caller limited to accounts, or to a caller without this limit (null).
 */
export function eventsWithin(filter: EventFilter, accountIds: Id[] | null): EventFilter[] {
  if (accountIds === null) return [filter];
  const { accountId } = filter;
  const seen = accountIds.filter((id) => accountId === null || accountId === id);
  return seen.map((id) => ({ ...filter, accountId: id }));
}
