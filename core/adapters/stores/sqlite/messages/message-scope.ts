import { livingOn } from '#core/adapters/stores/sqlite/bury.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { MessageFilter, Visibility } from '#core/messages/message.ts';

/** How a list finds its messages: by one mailbox, one account, or one owner, each with an index of its own. */
export type Scope = { by: 'mailbox' | 'account' | 'owner'; id: Id };

export function scopeOf(owner: Id, { mailboxId, accountId }: MessageFilter): Scope {
  if (mailboxId !== undefined) return { by: 'mailbox', id: mailboxId };
  return accountId === undefined ? { by: 'owner', id: owner } : { by: 'account', id: accountId };
}

const owned = `b.owner = :owner AND (:account IS NULL OR b.account_id = :account) AND ${livingOn('b')}`;

/** Whether a mailbox (b) is a living one of a scope, for `:scope`, `:owner`, `:account`. */
export const inScope: Record<Scope['by'], string> = {
  mailbox: `b.id = :scope AND ${owned}`,
  account: `b.account_id = :scope AND ${owned}`,
  owner: `b.owner = :scope AND ${owned}`,
};

/** Living mailboxes (b) of one mailbox or account, for the same. */
export const mailboxesOf: Record<Exclude<Scope['by'], 'owner'>, string> = {
  mailbox: `FROM mailbox b WHERE ${inScope.mailbox}`,
  account: `FROM mailbox b INDEXED BY mailbox_account WHERE ${inScope.account}`,
};

/** Messages (m) of a scope in living mailboxes (b), in the order of lists, for the same and `:after`. */
export const messagesOf: Record<Scope['by'], string> = {
  mailbox: `FROM mailbox b CROSS JOIN message m INDEXED BY message_mailbox
    WHERE b.id = :scope AND m.mailbox_id = b.id AND m.number > :after AND ${owned}`,
  account: `FROM message m INDEXED BY message_account CROSS JOIN mailbox b
    WHERE m.account_id = :scope AND m.number > :after AND b.id = m.mailbox_id AND ${owned}`,
  owner: `FROM message m INDEXED BY message_owner CROSS JOIN mailbox b
    WHERE m.owner = :scope AND m.number > :after AND b.id = m.mailbox_id AND ${owned}`,
};

/** A list over several mailboxes leaves out what a send left in Sent, unless it asks for a path. */
export const withoutCopies = `NOT (m.copy = 1 AND b.path_key = '${pathKey('Sent')}')`;

export const newestFirst = 'ORDER BY m.number DESC, m.id DESC';

/** Visible by age; must agree with `isVisible`. */
export const unexpired =
  'm.received_at > :horizon AND NOT (m.auto_delete = 1 AND m.expires_at IS NOT NULL AND m.expires_at <= :now)';

/** What every query over a scope binds. */
export function bindScope(owner: Id, scope: Scope, filter: MessageFilter) {
  return { owner, scope: scope.id, account: filter.accountId ?? null, after: filter.after ?? 0 };
}

export function bindVisibility({ now, receivedAfter }: Visibility): { now: number; horizon: number } {
  return { now: now.getTime(), horizon: receivedAfter.getTime() };
}
