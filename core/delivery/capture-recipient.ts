import type { AccountStore } from '#core/accounts/account.ts';
import type { Id } from '#core/ids.ts';
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

/** Reason why an address is refused. `no-capture`: the submitter's team has no capture account; `-setting`: the setting. */
export type CaptureRefusal = RecipientRefusal | 'no-capture' | 'no-capture-setting';

/** Refused recipient. `address`: of the account that takes nothing, or the recipient. */
type Refused = { refusal: CaptureRefusal; address: string };

/**
 * Accepts or refuses an address for mail of `sizeBytes` (0: not known yet). A submitter's recipients that are no accounts of
 * the same team are captured, whether others have them or not: nothing tells one from the other. Mail of others is captured
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
  if (submitter === null) return capture(ports, text, sizeBytes, ports.captureAddress, null);
  return capture(ports, text, sizeBytes, await captureAddressOf(ports, submitter), submitter.owner);
}

/**
 * Accepts or refuses mail for any recipient in the account of `address`, which has to be the owner's if there is one: an
 * address can have gone to another team since the submitter signed in.
 */
async function capture(
  ports: RecipientPorts,
  text: string,
  sizeBytes: number,
  address: string | null,
  owner: Id | null,
): Promise<AcceptedRecipient | Refused> {
  const refused = { refusal: owner === null ? 'no-capture-setting' : 'no-capture', address: text } as const;
  if (address === null) return refused;
  const answer = await ports.deliveries.lookUp(address.slice(address.lastIndexOf('@') + 1), [address]);
  const account = answer?.accounts.find((found) => found.address === address);
  if (!answer || !account || (owner !== null && answer.domain.owner !== owner)) return refused;
  const verdict = admit(ports, answer, account, text, sizeBytes);
  return 'refusal' in verdict ? { refusal: verdict.refusal, address } : verdict;
}

/** Finds the account that takes a submitter's mail to others: the one that signed in, or the capture account of the team. */
async function captureAddressOf({ accounts }: CapturePorts, submitter: Submitter): Promise<string | null> {
  return submitter.kind === 'account' ? submitter.name : accounts.findCapture(submitter.owner);
}
