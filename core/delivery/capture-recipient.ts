import type { AccountStore } from '#core/accounts/account.ts';
import {
  type AcceptedRecipient,
  acceptRecipient,
  admit,
  type RecipientPorts,
  type RecipientRefusal,
} from './accept-recipient.ts';
import type { Submitter } from './submitter.ts';

export type CapturePorts = RecipientPorts & {
  accounts: Pick<AccountStore, 'findCapture'>;
  /** Address of the account that takes mail of others than submitters for domains that are not registered. */
  captureAddress: string | null;
};

/** Reason why an address is refused. `no-capture`: the submitter's user has no capture account; `-setting`: the setting. */
export type CaptureRefusal = RecipientRefusal | 'no-capture' | 'no-capture-setting';

/** Refused recipient. `address`: of the account that takes nothing, or the recipient. */
type Refused = { refusal: CaptureRefusal; address: string };

/**
 * Accepts or refuses an address for mail of `sizeBytes` (0: not known yet). A submitter's recipients that are no accounts of
 * the same user are captured, whether others have them or not: nothing tells one from the other. Mail of others is captured
 * only where its domain is not registered and the setting names an account.
 */
export async function acceptOrCapture(
  ports: CapturePorts,
  text: string,
  sizeBytes: number,
  submitter: Submitter | null,
): Promise<AcceptedRecipient | Refused> {
  const verdict = await acceptRecipient(ports, text, sizeBytes);
  const isForeign =
    submitter === null
      ? 'refusal' in verdict && verdict.refusal === 'unknown-domain' && ports.captureAddress !== null
      : verdict.owner !== submitter.owner;
  if (!isForeign) return 'refusal' in verdict ? { refusal: verdict.refusal, address: text } : verdict;
  const address = submitter === null ? ports.captureAddress : await captureAddressOf(ports, submitter);
  return capture(ports, text, sizeBytes, address, submitter === null ? 'no-capture-setting' : 'no-capture');
}

/** Accepts or refuses mail for any recipient in the account of `address`. */
async function capture(
  ports: RecipientPorts,
  text: string,
  sizeBytes: number,
  address: string | null,
  missing: 'no-capture' | 'no-capture-setting',
): Promise<AcceptedRecipient | Refused> {
  const refused = { refusal: missing, address: text };
  if (address === null) return refused;
  const answer = await ports.deliveries.lookUp(address.slice(address.lastIndexOf('@') + 1), [address]);
  const account = answer?.accounts.find((found) => found.address === address);
  if (!answer || !account) return refused;
  const verdict = admit(ports, answer, account, text, sizeBytes);
  return 'refusal' in verdict ? { refusal: verdict.refusal, address } : verdict;
}

/** Finds the account that takes a submitter's mail to others: the one that signed in, or the capture account of the user. */
async function captureAddressOf({ accounts }: CapturePorts, submitter: Submitter): Promise<string | null> {
  return submitter.kind === 'account' ? submitter.name : accounts.findCapture(submitter.owner);
}
