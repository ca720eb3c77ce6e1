import type { ApiKey, Identity, User } from '#core/access/access.ts';
import type { Invitation, Person, Rule, RuleSource, Surroundings, Team } from '#core/access/people.ts';
import type { Grant } from '#core/access/role.ts';
import type { Account, AccountChange } from '#core/accounts/account.ts';
import type { Domain, DomainChange } from '#core/domains/domain.ts';
import type { Failure } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { ReadScope, Reads } from '#core/reads.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import type { Share } from '#core/shares/share.ts';

/**
 * Rows that a change is about. A store locks the team and the user. An invitation is named by its hash or its id, a domain by its
 * name or its id, a failure by its id or its key. Without a `key`, `sessions` are those that the user began without one. Without
 * a `quota`, domains and accounts are not counted.
 */
export type Scope = {
  team?: Id;
  user?: Id;
  key?: Id;
  identity?: Identity;
  invitation?: string | Id;
  rule?: RuleSource;
  domain?: string | Id;
  account?: Id;
  accountIds?: Id[];
  address?: string;
  failure?: Id | string;
  share?: Id;
  quota?: number;
  now?: Date;
};

/**
 * Change by the manager of an object: a Kubernetes resource, or the API (null). Without `manager`, the program itself makes the
 * change, whoever manages the object.
 */
export type ByManager = { team: Id; manager?: string | null; now: Date };

/** Ids for new rows. `newMailboxes` are for the system mailboxes of an account. */
export type NewIds = {
  newTeam: Id;
  newKey: Id;
  newInvitation: Id;
  newRule: Id;
  newDomain: Id;
  newAccount: Id;
  newMailbox: Id;
  newMailboxes: Id[];
  newSearch: Id;
  newMailRule: Id;
  newFailure: Id;
  newShare: Id;
};

/** Facts that changes decide by. A store reads those that a change needs, under its locks. */
export type Facts = NewIds & {
  /** Team, unless it is deleted. */
  team: Team | null;
  user: Person | null;
  /** Membership of the user in the team. */
  member: { grants: Grant[]; joinedAt: Date } | null;
  /** True where the team has an owner beside the user. */
  hasOtherOwner: boolean;
  /** Numbers of the team's members, keys, rules, and invitations that are valid `now`, and of the user's teams. */
  members: number;
  keys: number;
  rules: number;
  invitations: number;
  teams: number;
  key: ApiKey | null;
  /** True where the identity is the user's. */
  holdsIdentity: boolean;
  /** Hashes of the user's sessions, the one that expires last first. */
  sessions: string[];
  /** Invitation that is valid `now`. */
  invitation: Invitation | null;
  rule: Rule | null;
  surroundings: Surroundings;
  domain: Domain | null;
  /** Name of a domain of another team above or below the name of the domain. */
  related: string | null;
  /** Numbers of the team's domains and accounts, with those on their way to it. */
  domains: number;
  accounts: number;
  account: Omit<Account, 'mailboxes'> | null;
  /** Accounts of the team among `accountIds`. */
  ownAccounts: Id[];
  /** Mailboxes of the account, oldest first. */
  mailboxes: Mailbox[];
  rivals: Rivals;
  /** Saved searches of the team, oldest first. */
  searches: SavedSearch[];
  /** Rules of the team for mail, in their order. */
  mailRules: MailRule[];
  /** Failure of the team by its id, or by the key under which attempts of an address are counted. */
  failure: Failure | null;
  /**
   * Numbers of the team's failure rules and of its counts of addresses that are not over at `now`, and the oldest of these
   * counts.
   */
  failures: { rules: number; counts: number; oldestCount: Id | null };
  /** Link that is valid `now`, and the number of the team's. */
  share: Share | null;
  shares: number;
};

/**
 * Accounts that have what only one may have: the address, the catch-all of the domain or of the account's domain, the capture of the
 * team. A change that needs them names the domain or the account before them.
 */
export type Rivals = { address: Id | null; catchAll: Id | null; capture: { id: Id; address: string } | null };

/** Change of rows. `end-keys` ends the sessions that were made with the keys too. A condition names at least one field. */
export type Write =
  | { do: 'add-team'; team: Team }
  | { do: 'set-team'; team: Id; set: Partial<Pick<Team, 'name' | 'allowsShares' | 'clients'>> }
  | { do: 'delete-team'; team: Id; now: Date }
  | { do: 'add-user'; user: Omit<Person, 'groups' | 'disabledAt'> }
  | { do: 'set-user'; user: Id; set: Partial<Omit<Person, keyof User>> }
  | { do: 'remove-user'; user: Id }
  | { do: 'add-identity'; user: Id; identity: Identity }
  | { do: 'put-member'; team: Id; user: Id; grants: Grant[]; joinedAt: Date; suspended: boolean }
  | { do: 'remove-members'; where: { team?: Id; user?: Id } }
  | { do: 'add-key'; key: ApiKey; hash: string }
  | { do: 'set-key'; key: Id; set: Partial<Pick<ApiKey, 'scope' | 'expiresAt'>> }
  | { do: 'end-keys'; where: { ids?: Id[]; team?: Id; createdBy?: Id } }
  | { do: 'add-session'; session: StoredSession }
  | { do: 'end-sessions'; hashes: string[] }
  /** Ends the sessions of a user but one. `ofKeys`: those that others began with the user's keys too. */
  | { do: 'end-sessions-of'; user: Id; keep?: string | null; ofKeys?: boolean }
  | { do: 'add-invitation'; invitation: Invitation; hash: string }
  | { do: 'end-invitations'; where: { ids?: Id[]; team?: Id; createdBy?: Id } }
  | { do: 'put-rule'; rule: Rule }
  | { do: 'remove-rules'; where: { source?: RuleSource; team?: Id } }
  | { do: 'remove-passwords'; accounts: Id[] }
  | { do: 'add-domain'; domain: Domain }
  | { do: 'set-domain'; domain: Id; set: DomainChange & { updatedAt: Date } }
  /** Hides a domain with its accounts and mailboxes at once, and frees its name. The upkeep removes them later. */
  | { do: 'delete-domain'; domain: Id; now: Date }
  | { do: 'add-account'; account: Account; passwordHash: string | null }
  /** Changes an account. `room`: its mark as full ends. */
  | { do: 'set-account'; account: Id; set: AccountChange & { updatedAt: Date }; room: boolean }
  /** Hides an account with its mailboxes at once, and frees its address. The upkeep removes them later. */
  | { do: 'delete-account'; account: Id; now: Date }
  | { do: 'add-mailbox'; mailbox: Mailbox; owner: Id }
  | { do: 'rename-mailbox'; mailbox: Id; path: string }
  /** Hides a mailbox with its messages at once, and takes their bytes off its account, whose mark as full ends. */
  | { do: 'delete-mailbox'; mailbox: Id; account: Id; now: Date }
  | { do: 'put-search'; team: Id; search: SavedSearch }
  | { do: 'remove-searches'; where: { id?: Id; team?: Id } }
  /** Adds rules for mail, or changes those with the same ids, whose counts stay. The rules of the team get another version. */
  | { do: 'put-mail-rules'; team: Id; rules: MailRule[] }
  /** Removes rules for mail, or all of the team. Its rules get another version. */
  | { do: 'remove-mail-rules'; team: Id; ids?: Id[] }
  /** Adds a failure, or changes what it counted. The key of a failure rule is empty. */
  | { do: 'put-failure'; team: Id; key: string; failure: Failure }
  /** Removes failures, all that are over at a time, or all of the team. */
  | { do: 'remove-failures'; team: Id; ids?: Id[]; over?: Date }
  /** Gives the failure rules of the team another version. */
  | { do: 'renew-failures'; team: Id }
  | { do: 'add-share'; share: Share; hash: string }
  | { do: 'set-share'; share: Id; set: Pick<Share, 'openedAt'> }
  | { do: 'end-shares'; where: { ids?: Id[]; team?: Id; createdBy?: Id } };

/** Session as it is stored, under the SHA-256 (hex) of the cookie's secret. */
export type StoredSession = { hash: string; userId: Id; keyId: Id | null; createdAt: Date; expiresAt: Date };

/** Decision of a change: the rows to be written, and the result for the caller. */
export type Plan<Result> = { writes: Write[]; result: Result };

/** Change of rows: a pure function of facts, which throws the named errors of the core. */
export type Change<Args extends Scope, Result> = {
  name: string;
  needs: readonly (keyof Facts)[];
  plan(facts: Facts, args: Args): Plan<Result>;
};

/** Declares a change. `needs` are the facts that `plan` decides by. The name is unique: a store may run the plan in a thread. */
export function defineChange<Need extends keyof Facts, Args extends Scope, Result>(
  name: string,
  needs: readonly Need[],
  plan: (facts: Pick<Facts, Need>, args: Args) => Plan<Result>,
): Change<Args, Result> {
  return { name, needs, plan };
}

/** Rows of users, teams and what is between them, and of domains, accounts and mailboxes. */
export type RowStore = {
  /**
   * Reads the facts that a change needs, plans it and writes the plan, in one transaction. Throws the errors of the plan, and
   * Duplicate for a value that must be unique: an e-mail, an identity, the name of a managed team or of a domain, the hash of a
   * key.
   */
  change<Args extends Scope, Result>(change: Change<Args, Result>, args: Args): Promise<Result>;
  /** Reads the value with a name, without a lock. A name that a change needs too is a fact, which it reads anew. */
  read<Name extends keyof Reads>(name: Name, scope: ReadScope): Promise<Reads[Name]>;
};

export type RowReader = Pick<RowStore, 'read'>;
