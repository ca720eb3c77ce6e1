import type { ApiKeyStore, Passwords } from '#core/access/access.ts';
import { identifyByKey, isExpired } from '#core/access/api-keys.ts';
import { authorize, maySend } from '#core/access/caller.ts';
import { clientNetwork } from '#core/access/client-network.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { parseAddress } from '#core/accounts/address.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { firstCharacters } from '#core/messages/mail-record.ts';
import type { DeliveryStore } from './delivery.ts';

/**
 * Application that signed in to send mail, with an account's address and password or with an API key. `name`: the address, or the key's
 * name. `proof`: the stored hash of the password or key. `userName`: the user name that the client sent, if it is kept.
 */
export type Submitter = {
  owner: Id;
  kind: 'account' | 'api_key';
  name: string;
  proof: string;
  userName?: string | undefined;
};

/** Returns a submitter with the user name that the client sent. Drops a user name that could be a secret entered in the wrong field. */
export function withUserName(submitter: Submitter, { userName: given, password }: Credentials): Submitter {
  const isSecret = given.includes('sp_') || (password.length >= leastSecret && given.includes(password));
  return { ...submitter, userName: isSecret ? undefined : firstCharacters(given, mostUserName) };
}

export type SubmitterPorts = {
  deliveries: Pick<DeliveryStore, 'lookUp'>;
  apiKeys: Pick<ApiKeyStore, 'findByHash' | 'touch'>;
  accountPasswords: Passwords;
  clock: () => Date;
};

/** User name and password, or key, that a client sent. */
export type Credentials = { userName: string; password: string };

/** Maximum characters that are kept of a user name, and minimum length of a password to search for in a user name. */
const mostUserName = 256;
const leastSecret = 8;

type Named = { domain: string; address: string };

/** Limit on password guesses. A party is a client or a user name. */
export type SignInLimit = {
  /** Throws TooMany if the party has made too many failed guesses. */
  check(party: string): void;
  /** Throws TooMany if too many guesses for `name` have failed, and at least one of them came from `client`. */
  checkGuess(client: string, name: string): void;
  /** Returns the party in whose turn a guess is checked, or null if the guess need not wait for a turn. */
  turnOf(client: string, name: string): string | null;
  /** Counts a failed guess for each party. Throws TooMany if one of them exceeds the limit. */
  count(parties: string[]): Promise<void>;
};

/** Memory of submitters' sign-ins in one process. `passwords`: passwords that were recently correct, by the hash that they matched. */
export type SignInMemory = {
  failures: SignInLimit;
  passwords: { has(hash: string, password: string): boolean; add(hash: string, password: string): void };
};

/**
 * Signs a submitter in with an API key as the password and any user name, or with an account's address and password. Throws
 * InsufficientScope or ForbiddenRole for a key that may not send, and TooMany at a limit on guesses. All other causes throw the same
 * Unauthenticated. Failed guesses never block a valid key, because nobody can guess one. Failed guesses for a user name block passwords
 * only from clients that have failed themselves: a correct password from elsewhere is accepted, however many clients guess.
 */
export async function signInSubmitter(
  ports: SubmitterPorts,
  { failures, passwords }: SignInMemory,
  { userName, password }: Credentials,
  clientAddress: string,
): Promise<Submitter> {
  const client = `client:${clientNetwork(clientAddress)}`;
  const named = addressOf(userName);
  const name = `name:${hashSecret(named?.address ?? userName.toLowerCase())}`;
  const byKey = await identifyByKey(ports, password);
  if (byKey !== null) {
    const { owner, name, scope } = byKey.key;
    authorize({ role: byKey.role, scope }, 'send');
    return { owner, kind: 'api_key', name, proof: hashSecret(password) };
  }
  failures.check(client);
  const account = await findAccount(ports, named);
  if (account !== null && passwords.has(account.proof, password)) return account;
  failures.checkGuess(client, name);
  const turn = failures.turnOf(client, name) ?? `${account?.owner ?? 'nobody'} ${client}`;
  const isRight = await ports.accountPasswords.verify(password, account?.proof ?? null, turn);
  // Checks the limit again: other guesses of the client may have failed in the meantime, and then a correct password is blocked too.
  failures.check(client);
  failures.checkGuess(client, name);
  if (isRight && account !== null) {
    passwords.add(account.proof, password);
    return account;
  }
  await failures.count([client, name]);
  throw new Unauthenticated('Wrong user name or password');
}

/**
 * Finds the team that a refused sign-in concerns, and what the client tried to sign in as: the key, or an address in a registered domain,
 * whether or not an account has the address. Returns null if there is neither.
 */
export async function partyOfSignIn(
  { apiKeys, deliveries }: Pick<SubmitterPorts, 'apiKeys' | 'deliveries'>,
  { userName, password }: Credentials,
): Promise<Pick<Submitter, 'owner' | 'kind' | 'name'> | null> {
  const byKey = await apiKeys.findByHash(hashSecret(password));
  if (byKey !== null) return { owner: byKey.key.owner, kind: 'api_key', name: byKey.key.name };
  const named = addressOf(userName);
  const answer = named && (await deliveries.lookUp(named.domain, [named.address]));
  return answer && named && { owner: answer.domain.owner, kind: 'account', name: named.address };
}

/** Checks whether a submitter's password or key is unchanged, and whether it still allows sending. */
export async function isSignedIn(ports: SubmitterPorts, submitter: Submitter): Promise<boolean> {
  if (submitter.kind === 'api_key') {
    const found = await ports.apiKeys.findByHash(submitter.proof);
    return found !== null && !isExpired(found.key, ports.clock()) && maySend(found);
  }
  const account = await findAccount(ports, addressOf(submitter.name));
  return account?.owner === submitter.owner && account.proof === submitter.proof;
}

/** Finds the account that has an address, provided that it has a password. */
async function findAccount(
  { deliveries }: Pick<SubmitterPorts, 'deliveries'>,
  named: Named | null,
): Promise<Submitter | null> {
  const answer = named && (await deliveries.lookUp(named.domain, [named.address]));
  const account = answer?.accounts.find((found) => found.address === named?.address);
  if (!answer || !account || account.passwordHash === null) return null;
  const { owner } = answer.domain;
  return { owner, kind: 'account', name: account.address, proof: account.passwordHash };
}

/** Parses an address, or a domain's wildcard address. */
function addressOf(userName: string): Named | null {
  const isWildcard = userName.startsWith('*@');
  const parsed = parseAddress(isWildcard ? `x${userName.slice(1)}` : userName);
  return parsed && isWildcard ? { domain: parsed.domain, address: `*@${parsed.domain}` } : parsed;
}
