import type { DatabaseSync } from 'node:sqlite';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import type { AccountState, DeliveryState, MailboxPlace } from '#core/delivery/plan-delivery.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';

type AccountRow = {
  owner: number;
  active: number;
  storage_limit: number;
  used_bytes: number;
  messages: number | null;
};
type MailboxRow = { id: number; path_key: string };

/** Reads the accounts that a batch names, their mailboxes, and the newest event numbers of their owners. */
export function stateReader(db: DatabaseSync): (mails: PreparedMail[]) => DeliveryState {
  const account = query<AccountRow>(
    db,
    `SELECT a.owner, min(a.active, d.active) AS active, a.storage_limit, a.used_bytes,
       (SELECT sum(total) FROM mailbox INDEXED BY mailbox_account WHERE account_id = a.id AND deleted_at IS NULL) AS messages
     FROM account a CROSS JOIN domain d
     WHERE a.id = :id AND a.deleted_at IS NULL AND d.id = a.domain_id AND d.deleted_at IS NULL`,
  );
  const byPath = query<MailboxRow>(
    db,
    `SELECT id, path_key FROM mailbox INDEXED BY mailbox_path
     WHERE account_id = :account AND path_key = :path AND deleted_at IS NULL`,
  );
  const byId = query<MailboxRow>(
    db,
    'SELECT id, path_key FROM mailbox WHERE id = :id AND account_id = :account AND deleted_at IS NULL',
  );
  const head = query<{ head: number }>(db, 'SELECT head FROM team WHERE id = :owner');

  const stateOf = (id: Id, named: PreparedMail['targets']): AccountState | undefined => {
    const row = account.get({ id });
    if (row === undefined) return undefined;
    const mailboxes = new Set(
      named.map(({ mailbox }) => (typeof mailbox === 'string' ? mailbox : mailbox.id)),
    );
    const places = [...mailboxes].flatMap((mailbox): MailboxPlace[] => {
      const found =
        typeof mailbox === 'string'
          ? byPath.get({ account: id, path: pathKey(mailbox) })
          : byId.get({ account: id, id: mailbox });
      return found === undefined ? [] : [{ id: found.id, pathKey: found.path_key }];
    });
    return {
      id,
      owner: row.owner,
      active: row.active === 1,
      storageLimit: row.storage_limit,
      usedBytes: row.used_bytes,
      messages: row.messages ?? 0,
      mailboxes: places,
    };
  };

  return (mails) => {
    const targets = mails.flatMap((mail) => mail.targets);
    const accounts = new Map<Id, AccountState>();
    for (const [id, named] of Map.groupBy(targets, ({ accountId }) => accountId)) {
      const state = stateOf(id, named);
      if (state !== undefined) accounts.set(id, state);
    }
    const owners = new Set(targets.map(({ owner }) => owner));
    const newest = new Map([...owners].map((owner) => [owner, head.get({ owner })?.head ?? 0]));
    return { accounts, newest };
  };
}
