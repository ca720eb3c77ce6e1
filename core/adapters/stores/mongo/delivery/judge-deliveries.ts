import type { DeliveryRefusal, DeliveryTarget, PreparedMail } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';

/** What stands in the way of a delivery to an account, or does not. */
export type AccountState = {
  id: Id;
  owner: Id;
  /** The account and its domain are. */
  active: boolean;
  storageLimit: number;
  usedBytes: number;
  /** Whether mails in it ever referred to others. */
  threaded: boolean;
  /** Those of its living mailboxes that the mails may mean. */
  mailboxes: MailboxPlace[];
};

export type MailboxPlace = { id: Id; pathKey: string };

/** For each mail the mailboxes that its targets mean, in their order, or why it is refused. */
export type Judgement = { places: MailboxPlace[] } | DeliveryRefusal;

/** Decides mail by mail, in their order: what one takes of an account's room, the next does not have. */
export function judgeDeliveries(
  mails: Pick<PreparedMail, 'sizeBytes' | 'targets'>[],
  accounts: Map<Id, AccountState>,
): Judgement[] {
  const used = new Map([...accounts].map(([id, { usedBytes }]) => [id, usedBytes]));
  return mails.map(({ sizeBytes, targets }) => {
    const after = new Map<Id, number>();
    const places: MailboxPlace[] = [];
    for (const { owner, accountId, mailbox, deliveredTo: address } of targets) {
      const account = accounts.get(accountId);
      const place = account?.mailboxes.find((candidate) => isMeant(mailbox, candidate));
      if (account?.owner !== owner || place === undefined) return { reason: 'gone', address };
      if (!account.active) return { reason: 'inactive', address };
      const before = after.get(accountId) ?? used.get(accountId) ?? 0;
      // An empty message has a size too: an account that is exactly full takes nothing more.
      if (before + Math.max(sizeBytes, 1) > account.storageLimit) return { reason: 'no-room', address };
      after.set(accountId, before + sizeBytes);
      places.push(place);
    }
    for (const [id, bytes] of after) used.set(id, bytes);
    return { places };
  });
}

/** A target names a system mailbox by its path, any other by its id. */
function isMeant(mailbox: DeliveryTarget['mailbox'], { id, pathKey: key }: MailboxPlace): boolean {
  return typeof mailbox === 'string' ? pathKey(mailbox) === key : mailbox.id === id;
}
