import type { DatabaseSync } from 'node:sqlite';
import { selection } from '#adapters/stores/rows/table.ts';
import { recipientFields } from '#adapters/stores/rows/tables.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import {
  type AccountState,
  type DeliveryState,
  planDelivery,
  ruledPath,
} from '#core/delivery/plan-delivery.ts';
import type { MailboxPlace } from '#core/delivery/plan-rules.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { longTexts, type StoredText } from '#core/messages/mail-record.ts';
import { type MailWithIds, planWriter } from './plan-writer.ts';

export type DeliveryReads = Sync<Pick<DeliveryStore, 'lookUp'>>;
export type DeliveryWrites = {
  /** Keeps emails in memory for a batch's commit. */
  stage(batch: number, mails: PreparedMail[]): void;
  /** Commits a batch: the emails that `stage` kept, and the last ones. */
  commit(batch: number, last: PreparedMail[]): DeliveryVerdict[];
};

type DomainRow = {
  id: number;
  owner: number;
  active: number;
  status: string;
  assumed_client_ip: string | null;
  failures: number | null;
};

export function deliveryReads(db: DatabaseSync): DeliveryReads {
  const domain = query<DomainRow>(
    db,
    `SELECT id, owner, active, status, assumed_client_ip, (SELECT failures FROM team WHERE id = owner) AS failures
     FROM domain WHERE name = :name AND deleted_at IS NULL`,
  );
  const { columns, toRow } = selection(recipientFields, 'account');
  const named = query(
    db,
    `SELECT ${columns} FROM account INDEXED BY account_address
     WHERE address = :address AND domain_id = :domain AND deleted_at IS NULL`,
    toRow,
  );
  const catchAll = query(
    db,
    `SELECT ${columns} FROM account WHERE domain_id = :domain AND catch_all = 1 AND deleted_at IS NULL`,
    toRow,
  );
  return {
    lookUp(name, addresses) {
      const row = domain.get({ name });
      if (row === undefined) return null;
      const { id, owner } = row;
      const own = addresses.flatMap((address) => named.all({ domain: id, address }));
      return {
        domain: {
          ...{ id, owner, active: row.active === 1, verified: row.status === 'verified' },
          assumedClientIp: row.assumed_client_ip,
          failures: row.failures ?? 0,
        },
        accounts: own.length > 0 ? own : catchAll.all({ domain: id }),
      };
    },
  };
}

/** Plans and writes batches in the caller's transaction. */
export function deliveryWrites(db: DatabaseSync): DeliveryWrites {
  const stateOf = stateReader(db);
  const write = planWriter(db);
  const lastId = query<{ seq: number }>(db, "SELECT seq FROM sqlite_sequence WHERE name = 'message'");
  const staged = new Map<number, PreparedMail[]>();
  return {
    stage(batch, mails) {
      staged.set(batch, [...(staged.get(batch) ?? []), ...mails]);
    },
    commit(batch, last) {
      const mails = [...(staged.get(batch) ?? []), ...last];
      staged.delete(batch);
      let id = lastId.get()?.seq ?? 0;
      const withIds = mails.map((mail): MailWithIds => {
        const ids = mail.targets.map((_, index) => id + 1 + index);
        id += ids.length;
        return { ...mail, ids };
      });
      const plan = planDelivery(withIds, stateOf(mails), new Date());
      write(plan);
      return plan.verdicts;
    },
  };
}

/**
 * Copies an email, and returns the copy with its buffers that can be moved to another thread. Moving the email's own buffers would take
 * them from the email, which is sent again if the batch fails.
 */
export function copyToMove(mail: PreparedMail): { copy: PreparedMail; buffers: ArrayBuffer[] } {
  const { body, json, text, html, search } = mail;
  // Copies a view of a larger buffer, because otherwise the whole buffer would be cloned.
  const bytes = 'bytes' in body ? [Uint8Array.from(body.bytes)] : [];
  const copied = (whole: StoredText) => (typeof whole === 'string' ? whole : whole.slice());
  const texts = {
    json: copied(json),
    text: text && copied(text),
    html: html && copied(html),
    search: { ...search, text: copied(search.text) },
  };
  const [whole] = bytes;
  return {
    copy: {
      ...mail,
      ...texts,
      body: 'bodyId' in body ? { bodyId: body.bodyId } : { bytes: whole ?? body.bytes },
    },
    buffers: [...bytes, ...longTexts(texts)].map(({ buffer }) => buffer),
  };
}

type StateRow = {
  owner: number;
  active: number;
  storage_limit: number;
  used_bytes: number;
  messages: number | null;
};
type MailboxRow = { id: number; path_key: string };

/** Reads the accounts that a batch names, their mailboxes, and their owners' newest event numbers. */
function stateReader(db: DatabaseSync): (mails: PreparedMail[]) => DeliveryState {
  const account = query<StateRow>(
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
  const count = query<{ total: number }>(
    db,
    'SELECT count(*) AS total FROM mailbox WHERE account_id = :account AND deleted_at IS NULL',
  );
  const lastMailbox = query<{ seq: number }>(db, "SELECT seq FROM sqlite_sequence WHERE name = 'mailbox'");
  const head = query<{ head: number; rules: number }>(db, 'SELECT head, rules FROM team WHERE id = :owner');

  const stateOf = (id: Id, named: PreparedMail['targets']): AccountState | undefined => {
    const row = account.get({ id });
    if (row === undefined) return undefined;
    const paths = named.flatMap((target) => ruledPath(target) ?? []);
    const targeted = named.map(({ mailbox }) => (typeof mailbox === 'string' ? mailbox : mailbox.id));
    const mailboxes = new Set([...targeted, ...paths]);
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
      mailboxCount: paths.length === 0 ? 0 : (count.get({ account: id })?.total ?? 0),
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
    const heads = [...owners].map((owner) => ({ owner, head: 0, rules: 0, ...head.get({ owner }) }));
    const newest = new Map(heads.map(({ owner, head }) => [owner, head]));
    const rules = new Map(heads.map(({ owner, rules }) => [owner, rules]));
    const last = lastMailbox.get()?.seq ?? 0;
    const wanted = targets.filter((target) => ruledPath(target) !== null);
    const newMailboxes = wanted.map((_, index) => last + 1 + index);
    return { accounts, newest, rules, newMailboxes };
  };
}
