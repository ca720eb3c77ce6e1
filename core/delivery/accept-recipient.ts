import type { AccountFlags, AccountStore } from '#core/accounts/account.ts';
import { parseLooseAddress, spellLocal, splitAddress, splitTag, unquoted } from '#core/accounts/address.ts';
import { hasRoom } from '#core/accounts/room.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';
import type {
  DeliveryRefusal,
  DeliveryStore,
  OverflowHandler,
  RecipientAccount,
  RecipientAnswer,
} from './delivery.ts';
import type { Submitter } from './submitter.ts';

/**
 * Accepted recipient, and the account that its address reaches, with the account's flags. `assumedClientIp`: the setting of the
 * recipient's domain. `failures`: version of the owner's failure rules, 0 if the owner never had any.
 */
export type AcceptedRecipient = AccountFlags & {
  address: string;
  owner: Id;
  accountId: Id;
  tag: string | null;
  assumedClientIp: string | null;
  failures: number;
};

/** Checks whether a recipient's team or account may have failures. If not, simulating failures needs no read and no wait. */
export function mayFail({ failures, simulatesFailures, tag }: AcceptedRecipient): boolean {
  return failures !== 0 || (simulatesFailures && tag !== null);
}

type RecipientRefusal = Exclude<CaptureRefusal, 'no-capture' | 'no-capture-setting'>;

/**
 * Refused recipient. `owner`: owner of the account that the address reaches, or null if it reaches no account. `team`: the team that has
 * registered the domain and may see the refusal, or null if nobody has.
 */
export type RefusedRecipient = { refusal: RecipientRefusal; owner: Id | null; team: Id | null };

export type RecipientVerdict = AcceptedRecipient | RefusedRecipient;

export type RecipientPorts = {
  deliveries: Pick<DeliveryStore, 'lookUp'>;
  requireVerified: boolean;
  overflow: Pick<OverflowHandler, 'dropsOldest' | 'accountRefused'>;
};

/** Accepts or refuses an address for an email of `sizeBytes` (0 if the size is not known yet), and finds the address's account. */
export async function acceptRecipient(
  ports: RecipientPorts,
  text: string,
  sizeBytes: number,
): Promise<RecipientVerdict> {
  const parsed = parseLooseAddress(text);
  if (parsed === null) {
    const { domain } = splitAddress(text);
    return { refusal: unknownForm(text), owner: null, team: await teamOfDomain(ports, domain) };
  }
  const untagged = `${spellLocal(splitTag(parsed.local).base)}@${parsed.domain}`;
  const answer = await ports.deliveries.lookUp(parsed.domain, [...new Set([parsed.address, untagged])]);
  if (answer === null) return { refusal: 'unknown-domain', owner: null, team: null };
  return admit(ports, answer, chooseAccount(answer.accounts, parsed.address, untagged), text, sizeBytes);
}

/** Returns the refusal of an address that no account can have: a host's postmaster, an address literal, or what is no address. */
function unknownForm(text: string): RecipientRefusal {
  if (/^postmaster$/i.test(text)) return 'no-such-account';
  return splitAddress(text).domain.startsWith('[') ? 'unknown-domain' : 'bad-address';
}

/** Finds the team that has registered a domain, or null. */
export async function teamOfDomain(
  { deliveries }: Pick<RecipientPorts, 'deliveries'>,
  domain: string,
): Promise<Id | null> {
  const name = parseDomainName(domain);
  return (name && (await deliveries.lookUp(name, []))?.domain.owner) || null;
}

/**
 * Accepts or refuses an email of `sizeBytes` for the recipient `text`, depending on the state of its domain and account. Records mail
 * that is refused because the account is full.
 */
function admit(
  { requireVerified, overflow }: Pick<RecipientPorts, 'requireVerified' | 'overflow'>,
  { domain }: RecipientAnswer,
  account: RecipientAccount | null,
  text: string,
  sizeBytes: number,
): RecipientVerdict {
  const refused = (refusal: RecipientRefusal) => {
    return { refusal, owner: account && domain.owner, team: domain.owner };
  };
  if (!domain.active) return refused('inactive-domain');
  if (requireVerified && !domain.verified) return refused('unverified-domain');
  if (account === null) return refused('no-such-account');
  if (!account.active) return refused('inactive-account');
  // The limit on the account's number of messages is checked when the email is stored.
  const load = { bytes: sizeBytes, messages: 1 };
  const usedBytes = account.id === overflow.dropsOldest ? 0 : account.usedBytes;
  if (!hasRoom({ storageLimit: account.storageLimit, usedBytes, messages: 0 }, load)) {
    overflow.accountRefused({ owner: domain.owner, accountId: account.id, load });
    return refused('no-room');
  }
  const { owner, assumedClientIp, failures } = domain;
  const { id: accountId, address: _, storageLimit: _l, usedBytes: _u, passwordHash: _p, ...flags } = account;
  return { ...flags, address: text, owner, accountId, tag: tagOf(text), assumedClientIp, failures };
}

/**
 * Finds the account with the exact address, then the account with the address without its tag, then the catch-all account. Also finds an
 * inactive account.
 */
function chooseAccount(
  accounts: RecipientAccount[],
  exact: string,
  untagged: string,
): RecipientAccount | null {
  return (
    accounts.find((account) => account.address === exact) ??
    accounts.find((account) => account.address === untagged) ??
    accounts.find((account) => account.catchAll) ??
    null
  );
}

/** Returns the tag in its original spelling, because `parseLooseAddress` changes it to lower case. */
function tagOf(text: string): string | null {
  return splitTag(unquoted(splitAddress(text).local)).tag;
}

export type CapturePorts = RecipientPorts & {
  accounts: Pick<AccountStore, 'findCapture'>;
  /** Submitter to assume for mail that nobody signed in to send and that is not for another team. */
  everybody: Submitter | null;
  /** Address of the account that receives mail for unregistered domains if nobody signed in to send it. */
  captureAddress: string | null;
};

/** Refused recipient. `address`: the address of the account that refuses, or else the recipient's. `team`: see RefusedRecipient. */
type Refused = { refusal: CaptureRefusal; address: string; team: Id | null };

/** Finds the team that the settings make the installation's only team, or null if they name none. */
export async function onlyTeam({
  deliveries,
  everybody,
  captureAddress,
}: Pick<CapturePorts, 'deliveries' | 'everybody' | 'captureAddress'>): Promise<Id | null> {
  if (everybody !== null || captureAddress === null) return everybody?.owner ?? null;
  return teamOfDomain({ deliveries }, splitAddress(captureAddress).domain);
}

/**
 * Accepts or refuses an address for an email of `sizeBytes` (0 if the size is not known yet). Captures a submitter's mail to any
 * recipient that is not an account of the submitter's team. Other teams' accounts make no difference, so the outcome does not reveal
 * whether they exist. Mail without a submitter reaches all teams' accounts. If no account has the address, the mail is captured: by
 * `everybody`, except for other teams' domains, or by the account that the setting names, if the domain is not registered.
 */
export async function acceptOrCapture(
  ports: CapturePorts,
  text: string,
  sizeBytes: number,
  submitter: Submitter | null,
): Promise<AcceptedRecipient | Refused> {
  const verdict = await acceptRecipient(ports, text, sizeBytes);
  const { everybody, captureAddress } = ports;
  if (submitter !== null && verdict.owner !== submitter.owner)
    return capture(ports, text, sizeBytes, await captureAddressOf(ports, submitter), submitter.owner);
  if (!('refusal' in verdict)) return verdict;
  if (submitter === null && verdict.owner === null) {
    if (everybody !== null && [null, everybody.owner].includes(verdict.team))
      return capture(ports, text, sizeBytes, everybody.name, everybody.owner);
    if (captureAddress !== null && verdict.team === null)
      return capture(ports, text, sizeBytes, captureAddress, null);
  }
  return { refusal: verdict.refusal, address: text, team: verdict.team };
}

/**
 * Accepts or refuses mail for any recipient in the account with `address`. If `owner` is given, the account must belong to this owner: an
 * address can have moved to another team since the submitter signed in.
 */
async function capture(
  ports: RecipientPorts,
  text: string,
  sizeBytes: number,
  address: string | null,
  owner: Id | null,
): Promise<AcceptedRecipient | Refused> {
  const refusal = owner === null ? 'no-capture-setting' : 'no-capture';
  const refused = { refusal, address: text, team: owner } as const;
  if (address === null) return refused;
  const answer = await ports.deliveries.lookUp(address.slice(address.lastIndexOf('@') + 1), [address]);
  const account = answer?.accounts.find((found) => found.address === address);
  if (!answer || !account || (owner !== null && answer.domain.owner !== owner)) return refused;
  const verdict = admit(ports, answer, account, text, sizeBytes);
  return 'refusal' in verdict ? { refusal: verdict.refusal, address, team: verdict.team } : verdict;
}

/** Finds the account that captures a submitter's mail to foreign addresses: the account that signed in, or the team's capture account. */
async function captureAddressOf({ accounts }: CapturePorts, submitter: Submitter): Promise<string | null> {
  return submitter.kind === 'account' ? submitter.name : accounts.findCapture(submitter.owner);
}

/** Predicates of sentences about a refused recipient. */
export const refusalSentences = {
  'bad-address': 'must be a plain address such as qa@app.test',
  'unknown-domain': 'is not on one of your domains',
  'inactive-domain': 'is on an inactive domain',
  'unverified-domain': 'is on an unverified domain',
  'no-such-account': 'does not belong to any account',
  'inactive-account': 'belongs to an inactive account',
  'no-room': 'belongs to a full account',
  'no-capture':
    'is not one of your addresses, and your team has no capture account: turn on Capture for an account (is_capture)',
  'no-capture-setting': 'is not on a registered domain',
};

/**
 * Reason why an address is refused. `no-capture`: the submitter's team has no capture account. `no-capture-setting`: the account that the
 * setting names does not exist.
 */
export type CaptureRefusal = keyof typeof refusalSentences;

/** Refusals of a recipient, by the refusals of a commit that have the same meaning. */
export const recipientRefusals = {
  gone: 'no-such-account',
  inactive: 'inactive-account',
  'no-room': 'no-room',
} as const satisfies Partial<Record<DeliveryRefusal['reason'], RecipientRefusal>>;

/** Predicates of sentences about an account that refused an email at the commit. */
export const deliverySentences: Record<DeliveryRefusal['reason'], string> = {
  gone: 'no longer exists',
  inactive: 'is not active',
  'no-room': 'is full',
  'new-rules': 'has rules that changed during delivery',
};
