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
 * Application that signed in to send mail, by the address and password of an account or by an API key. `name`: the address,
 * or the key's name. `proof`: hash of the password or of the key, as stored. `userName`: the one that the client gave, where it is
 * kept.
 */
export type Submitter = {
  owner: Id;
  kind: 'account' | 'api_key';
  name: string;
  proof: string;
  userName?: string | undefined;
};

/** Returns a submitter with the user name that a client gave. One that could be a secret at the wrong place is not kept. */
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

/** User name and password, or key, as a client gave them. */
export type Credentials = { userName: string; password: string };

/** Characters of a user name that are kept, and those of a password that is looked for in it. */
const mostUserName = 256;
const leastSecret = 8;

type Named = { domain: string; address: string };

/** Bound on guesses at passwords. A party is a client or a user name. */
export type GuessBound = {
  /** Throws TooMany where the party has failed too often. */
  check(party: string): void;
  /** Throws TooMany where `name` has failed too often, and `client` at least once. */
  checkGuess(client: string, name: string): void;
  /** Returns the party whose turn a guess takes, or null where nobody has failed. */
  turnOf(client: string, name: string): string | null;
  /** Counts a failure of each party. Throws TooMany where it is one too many for one of them. */
  count(parties: string[]): Promise<void>;
};

/** Memory of a process for sign-ins of submitters. `passwords`: those that were right lately, by the hash that they matched. */
export type SignInMemory = {
  failures: GuessBound;
  passwords: { has(hash: string, password: string): boolean; add(hash: string, password: string): void };
};

/**
 * Signs a submitter in by an API key as the password, with any user name, or by the address of an account and its password.
 * Throws InsufficientScope or ForbiddenRole for a key that may not send, and TooMany at a bound on guesses. Every other cause is the
 * same Unauthenticated.
 * Failures refuse no valid key, which nobody guesses. Failures for a user name refuse passwords of clients that have failed
 * themselves: a right password from elsewhere is taken, however many guess.
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
  // Checks again: other guesses of the client may have failed meanwhile, and then a right one is refused too.
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
 * Finds the team that a refused sign-in concerns, and who it was for: the key, or the address of a registered domain, whether an
 * account has it or not. Null for neither.
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

/** Checks whether a submitter's password or key is still the same, and may still send. */
export async function isSignedIn(ports: SubmitterPorts, submitter: Submitter): Promise<boolean> {
  if (submitter.kind === 'api_key') {
    const found = await ports.apiKeys.findByHash(submitter.proof);
    return found !== null && !isExpired(found.key, ports.clock()) && maySend(found);
  }
  const account = await findAccount(ports, addressOf(submitter.name));
  return account?.owner === submitter.owner && account.proof === submitter.proof;
}

/** Finds the account of an address that has a password. */
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

/** Reads an address, or the wildcard address of a domain. */
function addressOf(userName: string): Named | null {
  const isWildcard = userName.startsWith('*@');
  const parsed = parseAddress(isWildcard ? `x${userName.slice(1)}` : userName);
  return parsed && isWildcard ? { domain: parsed.domain, address: `*@${parsed.domain}` } : parsed;
}
