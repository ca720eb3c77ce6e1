import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import type {
  DeliveryRefusal,
  DeliveryStore,
  DeliveryVerdict,
  RecipientAnswer,
} from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { EncodedMail, EncodedTarget } from './encode-mail.ts';
import { messageInsertion, type Place } from './message-insertion.ts';

export type DeliveryReads = Sync<Pick<DeliveryStore, 'lookUp'>>;
export type DeliveryWrites = { commit(mails: EncodedMail[]): DeliveryVerdict[] };

type DomainRow = { id: number; owner: number; active: number; status: string };
type AccountRow = {
  id: number;
  address: string;
  active: number;
  catch_all: number;
  storage_limit: number;
  used_bytes: number;
};

export function deliveryReads(db: DatabaseSync): DeliveryReads {
  const domain = query<DomainRow>(
    db,
    'SELECT id, owner, active, status FROM domain WHERE name = :name AND buried_at IS NULL',
  );
  const columns = 'id, address, active, catch_all, storage_limit, used_bytes';
  const accounts = query<AccountRow>(
    db,
    `SELECT ${columns} FROM account WHERE domain_id = :domain AND catch_all = 1 AND buried_at IS NULL
     UNION ALL
     SELECT ${columns} FROM account INDEXED BY account_address
     WHERE address IN (SELECT value FROM json_each(:addresses)) AND domain_id = :domain
       AND catch_all = 0 AND buried_at IS NULL`,
  );
  const toAccount = (row: AccountRow): RecipientAnswer['accounts'][number] => ({
    id: row.id,
    address: row.address,
    active: row.active === 1,
    catchAll: row.catch_all === 1,
    storageLimit: row.storage_limit,
    usedBytes: row.used_bytes,
  });
  return {
    lookUp(name, addresses) {
      const row = domain.get({ name });
      if (row === undefined) return null;
      const { id, owner } = row;
      const found = accounts.all({ domain: id, addresses: JSON.stringify(addresses) });
      return {
        domain: { id, owner, active: row.active === 1, verified: row.status === 'verified' },
        accounts: found.map(toAccount),
      };
    },
  };
}

type RoomRow = { mailbox_id: number; active: number; storage_limit: number; used_bytes: number };

/** Commits mails one after the other in the caller's transaction; what may refuse a mail is asked before its first row. */
export function deliveryWrites(db: DatabaseSync): DeliveryWrites {
  const insert = messageInsertion(db);
  const columns =
    'SELECT b.id AS mailbox_id, min(a.active, d.active) AS active, a.storage_limit, a.used_bytes';
  const living = `a.id = :account AND a.owner = :owner AND a.buried_at IS NULL AND d.id = a.domain_id
    AND d.buried_at IS NULL AND b.account_id = a.id AND b.buried_at IS NULL`;
  const room = query<RoomRow>(
    db,
    `${columns} FROM account a CROSS JOIN domain d CROSS JOIN mailbox b INDEXED BY mailbox_path
     WHERE ${living} AND b.path_key = :path`,
  );
  const roomById = query<RoomRow>(
    db,
    `${columns} FROM account a CROSS JOIN domain d CROSS JOIN mailbox b WHERE ${living} AND b.id = :mailbox`,
  );

  const placeFor = (target: EncodedTarget, sizeBytes: number, taken: number): Place | DeliveryRefusal => {
    const { owner, accountId: account, deliveredTo: address, mailbox } = target;
    const row =
      typeof mailbox === 'string'
        ? room.get({ owner, account, path: pathKey(mailbox) })
        : roomById.get({ owner, account, mailbox: mailbox.id });
    if (row === undefined) return { reason: 'gone', address };
    if (row.active === 0) return { reason: 'inactive', address };
    // An empty message has a size too: an account that is exactly full takes nothing more.
    if (row.used_bytes + taken + Math.max(sizeBytes, 1) > row.storage_limit)
      return { reason: 'no-room', address };
    return { target, mailboxId: row.mailbox_id };
  };

  const commitMail = (mail: EncodedMail): DeliveryVerdict => {
    const places: Place[] = [];
    const taken = new Map<Id, number>();
    for (const target of mail.targets) {
      const before = taken.get(target.accountId) ?? 0;
      const place = placeFor(target, mail.sizeBytes, before);
      if ('reason' in place) return place;
      taken.set(target.accountId, before + mail.sizeBytes);
      places.push(place);
    }
    return insert(mail, places);
  };
  return { commit: (mails) => mails.map(commitMail) };
}
