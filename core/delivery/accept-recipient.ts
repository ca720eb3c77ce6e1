import { parseAddress, splitTag } from '#core/accounts/address.ts';
import type { Id } from '#core/ids.ts';
import type { DeliveryStore, RecipientAnswer } from './delivery.ts';

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

export type RecipientVerdict = AcceptedRecipient | { refusal: RecipientRefusal };

type Ports = { deliveries: Pick<DeliveryStore, 'lookUp'>; requireVerified: boolean };

/** Accepts or refuses an address for mail of `sizeBytes` (0: not known yet), and finds its account. */
export async function acceptRecipient(
  ports: Ports,
  text: string,
  sizeBytes: number,
): Promise<RecipientVerdict> {
  const parsed = parseAddress(text);
  if (parsed === null) return { refusal: 'bad-address' };
  const { base, tag } = splitTag(parsed.local);
  const untagged = `${base}@${parsed.domain}`;
  const answer = await ports.deliveries.lookUp(parsed.domain, [...new Set([parsed.address, untagged])]);
  if (answer === null) return { refusal: 'unknown-domain' };
  if (!answer.domain.active) return { refusal: 'inactive-domain' };
  if (ports.requireVerified && !answer.domain.verified) return { refusal: 'unverified-domain' };
  const account = chooseAccount(answer.accounts, parsed.address, untagged);
  if (account === null) return { refusal: 'no-such-account' };
  if (!account.active) return { refusal: 'inactive-account' };
  // An empty message has a size too: an account that is exactly full takes nothing more.
  if (account.usedBytes + Math.max(sizeBytes, 1) > account.storageLimit) return { refusal: 'no-room' };
  return { address: text, owner: answer.domain.owner, accountId: account.id, tag: tagOf(text, tag) };
}

/** Finds the account of the exact address, then of the one without tag, then the catch-all. An inactive one is found too. */
function chooseAccount(
  accounts: RecipientAnswer['accounts'],
  exact: string,
  untagged: string,
): RecipientAnswer['accounts'][number] | null {
  return (
    accounts.find((account) => account.address === exact) ??
    accounts.find((account) => account.address === untagged) ??
    accounts.find((account) => account.catchAll) ??
    null
  );
}

/** Returns the tag in its original spelling, which `parseAddress` has lower-cased. */
function tagOf(text: string, tag: string | null): string | null {
  if (tag === null) return null;
  const local = text.slice(0, text.lastIndexOf('@'));
  return local.slice(local.indexOf('+') + 1);
}
