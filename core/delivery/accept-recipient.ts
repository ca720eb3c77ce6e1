import { parseAddress, splitTag } from '#core/accounts/address.ts';
import { hasRoom } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';
import type { DeliveryStore, Fullness, RecipientAnswer } from './delivery.ts';

/** Recipient that was accepted, and the account that it reaches. */
export type AcceptedRecipient = { address: string; owner: Id; accountId: Id; tag: string | null };

/** Reason why a recipient is refused. */
export type RecipientRefusal =
  | 'bad-address'
  | 'unknown-domain'
  | 'inactive-domain'
  | 'unverified-domain'
  | 'no-such-account'
  | 'inactive-account'
  | 'no-room';

/** Refused recipient. `owner`: of the account that the address reaches, or null where it reaches none. */
export type RefusedRecipient = { refusal: RecipientRefusal; owner: Id | null };

export type RecipientVerdict = AcceptedRecipient | RefusedRecipient;

export type RecipientPorts = {
  deliveries: Pick<DeliveryStore, 'lookUp'>;
  requireVerified: boolean;
  fullness: Pick<Fullness, 'dropsOldest' | 'accountRefused'>;
};

type FoundAccount = RecipientAnswer['accounts'][number];

/** Accepts or refuses an address for mail of `sizeBytes` (0: not known yet), and finds its account. */
export async function acceptRecipient(
  ports: RecipientPorts,
  text: string,
  sizeBytes: number,
): Promise<RecipientVerdict> {
  const parsed = parseAddress(text);
  if (parsed === null) return { refusal: 'bad-address', owner: null };
  const { base } = splitTag(parsed.local);
  const untagged = `${base}@${parsed.domain}`;
  const answer = await ports.deliveries.lookUp(parsed.domain, [...new Set([parsed.address, untagged])]);
  if (answer === null) return { refusal: 'unknown-domain', owner: null };
  return admit(ports, answer, chooseAccount(answer.accounts, parsed.address, untagged), text, sizeBytes);
}

/**
 * Accepts or refuses mail of `sizeBytes` for the recipient `text` by the state of its domain and account. Notes mail that is
 * refused for want of room.
 */
export function admit(
  { requireVerified, fullness }: Pick<RecipientPorts, 'requireVerified' | 'fullness'>,
  { domain }: RecipientAnswer,
  account: FoundAccount | null,
  text: string,
  sizeBytes: number,
): RecipientVerdict {
  const refused = (refusal: RecipientRefusal) => ({ refusal, owner: account && domain.owner });
  if (!domain.active) return refused('inactive-domain');
  if (requireVerified && !domain.verified) return refused('unverified-domain');
  if (account === null) return refused('no-such-account');
  if (!account.active) return refused('inactive-account');
  // The number of its messages is looked at when the mail is stored.
  const load = { bytes: sizeBytes, messages: 1 };
  const usedBytes = account.id === fullness.dropsOldest ? 0 : account.usedBytes;
  if (!hasRoom({ storageLimit: account.storageLimit, usedBytes, messages: 0 }, load)) {
    fullness.accountRefused({ owner: domain.owner, accountId: account.id, load });
    return refused('no-room');
  }
  return { address: text, owner: domain.owner, accountId: account.id, tag: tagOf(text) };
}

/** Finds the account of the exact address, then of the one without tag, then the catch-all. An inactive one is found too. */
function chooseAccount(accounts: FoundAccount[], exact: string, untagged: string): FoundAccount | null {
  return (
    accounts.find((account) => account.address === exact) ??
    accounts.find((account) => account.address === untagged) ??
    accounts.find((account) => account.catchAll) ??
    null
  );
}

/** Returns the tag in its original spelling, which `parseAddress` lower-cases. */
function tagOf(text: string): string | null {
  return splitTag(text.slice(0, text.lastIndexOf('@'))).tag;
}
