import type { SQLInputValue } from 'node:sqlite';
import { isNotDeleted } from '#adapters/stores/sqlite/soft-delete.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { Visibility } from '#core/messages/message.ts';
import { type FlagFilter, type MessageFilter, showsCopies } from '#core/messages/message-filter.ts';

/** Messages of one mailbox, one account or one owner, each served by its own index. */
export type Scope = { by: 'mailbox' | 'account' | 'owner'; id: Id };

export function scopeOf(owner: Id, { mailboxId, accountId }: MessageFilter): Scope {
  if (mailboxId !== undefined) return { by: 'mailbox', id: mailboxId };
  return accountId === undefined ? { by: 'owner', id: owner } : { by: 'account', id: accountId };
}

/** Conditions on flags, which the list indexes contain. An unset filter is bound as null. */
const flagConditions: Record<FlagFilter, string> = {
  unread: 'm.is_read <> :unread',
  flagged: 'm.is_flagged = :flagged',
  hasAttachments: 'm.has_attachments = :hasAttachments',
};
const flagNames = Object.keys(flagConditions) as FlagFilter[];
const onMessage = flagNames.map((name) => `(:${name} IS NULL OR ${flagConditions[name]})`).join(' AND ');

const onMailbox = '(:mailboxPath IS NULL OR b.path_key = :mailboxPath)';
const owned = `b.owner = :owner AND (:account IS NULL OR b.account_id = :account) AND ${isNotDeleted('b')} AND ${onMailbox}`;

/** Condition that a mailbox (b) is not deleted and belongs to a scope. */
export const inScope: Record<Scope['by'], string> = {
  mailbox: `b.id = :scope AND ${owned}`,
  account: `b.account_id = :scope AND ${owned}`,
  owner: `b.owner = :scope AND ${owned}`,
};

/** Mailboxes (b) of a scope. */
export const mailboxesOf: Record<Scope['by'], string> = {
  mailbox: `FROM mailbox b WHERE ${inScope.mailbox}`,
  account: `FROM mailbox b INDEXED BY mailbox_account WHERE ${inScope.account}`,
  owner: `FROM mailbox b INDEXED BY mailbox_owner WHERE ${inScope.owner}`,
};

/** Conditions that exclude copies in Sent from a list of several mailboxes, unless the filter names a path. */
const copiesOf = {
  mailbox: '',
  account: `AND (:copies OR NOT (m.copy = 1 AND b.path_key = '${pathKey('Sent')}'))`,
};
const copies: Record<Scope['by'], string> = { ...copiesOf, owner: copiesOf.account };

/** Conditions of a scope on messages (m) and their mailboxes (b) that the scope's index alone can check. */
export const passesIndex = (by: Scope['by']) => `m.number > :after AND ${onMessage} ${copies[by]}`;

/** Messages (m) of a scope and their mailboxes (b), by the scope's index. */
const joined: Record<Scope['by'], string> = {
  mailbox:
    'FROM mailbox b CROSS JOIN message m INDEXED BY message_mailbox WHERE b.id = :scope AND m.mailbox_id = b.id',
  account:
    'FROM message m INDEXED BY message_account CROSS JOIN mailbox b WHERE m.account_id = :scope AND b.id = m.mailbox_id',
  owner:
    'FROM message m INDEXED BY message_owner CROSS JOIN mailbox b WHERE m.owner = :scope AND b.id = m.mailbox_id',
};

/** Tagged messages (m) of a scope and their mailboxes (b), by the index of all tagged messages of the owner. */
export const tagged: Record<Scope['by'], string> = {
  mailbox: taggedWhere('m.mailbox_id = :scope'),
  account: taggedWhere('m.account_id = :scope'),
  owner: taggedWhere('m.owner = :scope'),
};

function taggedWhere(condition: string): string {
  return `FROM message m INDEXED BY message_tagged CROSS JOIN mailbox b WHERE m.owner = :owner AND m.tags IS NOT NULL
    AND ${condition} AND b.id = m.mailbox_id`;
}

/**
 * Messages (m) of a scope with their mailboxes (b), in list order, by the index of the scope or of `rows`. `filter` wraps each condition
 * that rows of the scope may fail, with a column of the loop that checks it.
 */
export function messagesOf(
  by: Scope['by'],
  filter = (condition: string, _column: string) => condition,
  rows = joined,
): string {
  const place = by === 'mailbox' ? owned : filter(`${owned} ${copies[by]}`, 'b.id');
  return `${rows[by]} AND m.number > :after AND ${filter(onMessage, 'm.number')} AND ${place}`;
}

export const newestFirst = 'ORDER BY m.number DESC, m.id DESC';

/** Condition for rows that have not expired. Must agree with `isVisible`. */
export const unexpired =
  'm.received_at > :horizon AND NOT (m.auto_delete = 1 AND m.expires_at IS NOT NULL AND m.expires_at <= :now)';

type Bound = Record<string, SQLInputValue>;

/** Binds the parameters of `mailboxesOf` and `inScope`. */
export function bindMailboxes(owner: Id, scope: Scope, { accountId, mailboxPath }: MessageFilter): Bound {
  const path = mailboxPath === undefined ? null : pathKey(mailboxPath);
  return { owner, scope: scope.id, account: accountId ?? null, mailboxPath: path };
}

/** Binds the parameters of `mailboxesOf`, `messagesOf` and `passesIndex`. */
export function bindScope(owner: Id, scope: Scope, filter: MessageFilter): Bound {
  const flags = flagNames.map((name) => [name, filter[name] === undefined ? null : Number(filter[name])]);
  return {
    ...bindMailboxes(owner, scope, filter),
    after: filter.after ?? 0,
    ...(scope.by !== 'mailbox' && { copies: Number(showsCopies(filter)) }),
    ...Object.fromEntries(flags),
  };
}

/** Checks whether a filter names a flag, which mailbox counters cannot answer. */
export function hasFlags(filter: MessageFilter): boolean {
  return flagNames.some((name) => filter[name] !== undefined);
}

export function bindVisibility({ now, receivedAfter }: Visibility): { now: number; horizon: number } {
  return { now: now.getTime(), horizon: receivedAfter.getTime() };
}
