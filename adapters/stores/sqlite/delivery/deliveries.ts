import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type {
  DeliveryStore,
  DeliveryVerdict,
  PreparedMail,
  RecipientAnswer,
} from '#core/delivery/delivery.ts';
import { planDelivery } from '#core/delivery/plan-delivery.ts';
import { longTexts, type StoredText } from '#core/messages/mail-record.ts';
import { stateReader } from './delivery-state.ts';
import { type MailWithIds, planWriter } from './plan-writer.ts';

export type DeliveryReads = Sync<Pick<DeliveryStore, 'lookUp'>>;
export type DeliveryWrites = {
  /** Keeps mails for the commit of a batch, in memory. */
  stage(batch: number, mails: PreparedMail[]): void;
  /** Commits the mails of a batch that were kept, and the last ones. */
  commit(batch: number, last: PreparedMail[]): DeliveryVerdict[];
};

type DomainRow = { id: number; owner: number; active: number; status: string };
type AccountRow = {
  id: number;
  address: string;
  active: number;
  catch_all: number;
  storage_limit: number;
  used_bytes: number;
  password_hash: string | null;
};

export function deliveryReads(db: DatabaseSync): DeliveryReads {
  const domain = query<DomainRow>(
    db,
    'SELECT id, owner, active, status FROM domain WHERE name = :name AND deleted_at IS NULL',
  );
  const columns = 'id, address, active, catch_all, storage_limit, used_bytes, password_hash';
  const named = query<AccountRow>(
    db,
    `SELECT ${columns} FROM account INDEXED BY account_address
     WHERE address = :address AND domain_id = :domain AND deleted_at IS NULL`,
  );
  const catchAll = query<AccountRow>(
    db,
    `SELECT ${columns} FROM account WHERE domain_id = :domain AND catch_all = 1 AND deleted_at IS NULL`,
  );
  const toAccount = (row: AccountRow): RecipientAnswer['accounts'][number] => ({
    id: row.id,
    address: row.address,
    active: row.active === 1,
    catchAll: row.catch_all === 1,
    storageLimit: row.storage_limit,
    usedBytes: row.used_bytes,
    passwordHash: row.password_hash,
  });
  return {
    lookUp(name, addresses) {
      const row = domain.get({ name });
      if (row === undefined) return null;
      const { id, owner } = row;
      const own = addresses.flatMap((address) => named.get({ domain: id, address }) ?? []);
      const found = own.length > 0 ? own : catchAll.all({ domain: id });
      return {
        domain: { id, owner, active: row.active === 1, verified: row.status === 'verified' },
        accounts: found.map(toAccount),
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
 * Copies a mail, with the buffers of the copy that can be moved to another thread. Moving those of the mail itself would take
 * them from it, and a batch that fails is sent once more.
 */
export function copyToMove(mail: PreparedMail): { copy: PreparedMail; buffers: ArrayBuffer[] } {
  const { body, json, text, html, search } = mail;
  // Copies a view of a larger buffer, which would be cloned as a whole.
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
