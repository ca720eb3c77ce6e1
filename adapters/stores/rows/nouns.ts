import type { ApiKey } from '#core/access/access.ts';
import type { Invitation } from '#core/access/people.ts';
import type { Account } from '#core/accounts/account.ts';
import type { Failure, FailureRule } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import type { Share } from '#core/shares/share.ts';
import { all, one, type Steps } from './steps.ts';
import {
  type AccountRow,
  accounts,
  type FailureRow,
  type InvitationRow,
  type KeyRow,
  mailboxes,
  mailRules,
  type ShareRow,
  savedSearches,
  users,
} from './tables.ts';

export type BareAccount = Omit<Account, 'mailboxes'>;

export const toAccount = ({ passwordHash: _, ...account }: AccountRow): BareAccount => account;
export const toInvitation = ({ hash: _, ...invitation }: InvitationRow): Invitation => invitation;
export const toShare = ({ hash: _, ...share }: ShareRow): Share => share;
/** Words that rows of earlier versions lack. */
const failureDefaults = { name: null, active: true };
export const failureOf = ({ words, team: _, key: _key, ...row }: FailureRow): Failure => ({
  ...failureDefaults,
  ...words,
  ...row,
});
export const failureRuleOf = ({ words, id, createdAt, expiresAt }: FailureRow): FailureRule => ({
  ...failureDefaults,
  ...words,
  id,
  createdAt,
  expiresAt,
});

/** Adds the creators to keys. */
export function* keysWith(rows: KeyRow[]): Steps<ApiKey[]> {
  const creators = rows.flatMap(({ createdBy }) => createdBy ?? []);
  const found = creators.length === 0 ? [] : yield* all(users, { id: { in: creators } });
  const byId = new Map(found.map(({ id, email, createdAt }) => [id, { id, email, createdAt }]));
  return rows.map(({ hash: _, createdBy, ...row }) => ({
    ...row,
    createdBy: byId.get(createdBy ?? 0) ?? null,
  }));
}

export function* keyWith(row: KeyRow): Steps<ApiKey | null> {
  return (yield* keysWith([row]))[0] ?? null;
}

export function* findAccount(owner: Id, id: Id): Steps<BareAccount | null> {
  const row = yield* one(accounts, { id, owner });
  return row && toAccount(row);
}

/** Index of the mailboxes of an account. */
export const ofAccount = { hint: { sqlite: 'mailbox_account' } };

/** Reads the mailboxes of accounts, each account's in the order of their creation. */
export function* mailboxesOf(ids: Id[], owner?: Id): Steps<Map<Id, Mailbox[]>> {
  const rows = yield* all(
    mailboxes,
    { accountId: { in: ids }, owner },
    {
      order: ['accountId', 'id'],
      ...ofAccount,
    },
  );
  return Map.groupBy(rows, ({ accountId }) => accountId);
}

export function* searchesOf(team: Id): Steps<SavedSearch[]> {
  return (yield* all(savedSearches, { team }, { order: ['id'] })).map(({ team: _, ...search }) => search);
}

export function* mailRulesOf(team: Id): Steps<MailRule[]> {
  const rows = yield* all(mailRules, { team }, { order: ['position', 'id'] });
  return rows.map(({ words, team: _, ...row }) => ({ ...words, ...row }));
}
