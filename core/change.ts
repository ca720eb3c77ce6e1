import type { ApiKey, Identity, User } from '#core/access/access.ts';
import type { Invitation, Person, Rule, RuleSource, Surroundings, Team } from '#core/access/people.ts';
import type { Grant } from '#core/access/role.ts';
import type { Account, AccountChange } from '#core/accounts/account.ts';
import type { Domain, DomainChange } from '#core/domains/domain.ts';
import type { Failure } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Lists, ReadScope, Reads } from '#core/reads.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import type { Share } from '#core/shares/share.ts';

/**
 * Rows that a change concerns. A store locks the team and the user. An invitation is identified by its hash or ID, a domain by its name
 * or ID, and a failure by its ID or key. If `key` is absent, `sessions` are those that the user started without a key. If `quota` is
 * absent, domains and accounts are not counted.
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
 * Change by an object's manager: a Kubernetes resource, or the API (null). If `manager` is absent, the program itself makes the change,
 * whoever manages the object.
 */
export type ByManager = { team: Id; manager?: string | null; now: Date };

/** IDs for new rows. `newMailboxes` are the IDs of an account's system mailboxes. */
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

/** Facts that changes depend on. For each change, a store reads the facts that it needs, under the store's locks. */
export type Facts = NewIds & {
  /** Team, or null if it has been deleted. */
  team: Team | null;
  user: Person | null;
  member: { grants: Grant[]; joinedAt: Date } | null;
  /** True if the team has another owner besides the user. */
  hasOtherOwner: boolean;
  /** Number of the team's members, keys, rules, and invitations that are valid at `now`, and of the user's teams. */
  members: number;
  keys: number;
  rules: number;
  invitations: number;
  teams: number;
  key: ApiKey | null;
  /** True if the identity belongs to the user. */
  holdsIdentity: boolean;
  /** Hashes of the user's sessions, those that expire last first. */
  sessions: string[];
  /** Invitation, if it is valid at `now`. */
  invitation: Invitation | null;
  rule: Rule | null;
  surroundings: Surroundings;
  domain: Domain | null;
  /** Domain of another team whose name lies above or below the domain's name. */
  related: string | null;
  /** Number of the team's domains and accounts, including those that are moving to the team. */
  domains: number;
  accounts: number;
  account: Omit<Account, 'mailboxes'> | null;
  /** IDs in `accountIds` that belong to the team's accounts. */
  ownAccounts: Id[];
  /** Mailboxes of the account, oldest first. */
  mailboxes: Mailbox[];
  rivals: Rivals;
  searches: SavedSearch[];
  /** Mail rules of the team, in their order. */
  mailRules: MailRule[];
  /** Failure of the team with this ID, or with the key under which an address's attempts are counted. */
  failure: Failure | null;
  /**
   * Number of the team's failure rules, number of its address counts that have not ended at `now`, and ID of the oldest of these counts.
   */
  failures: { rules: number; counts: number; oldestCount: Id | null };
  /** Share link, if it is valid at `now`, the number of the team's valid links, and those whose message or account is gone. */
  share: Share | null;
  shares: { live: number; gone: Id[] };
};

/**
 * Accounts that hold what only one account may have: the address, the catch-all role in the domain or the account's domain, and the
 * team's capture role. The scope of a change that needs this fact must name the domain or the account.
 */
export type Rivals = { address: Id | null; catchAll: Id | null; capture: { id: Id; address: string } | null };

/** Write to rows. `end-keys` also ends the sessions that were started with the keys. A condition contains at least one field. */
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
  /** Ends all of a user's sessions except one. `ofKeys`: also ends sessions that others started with the user's keys. */
  | { do: 'end-sessions-of'; user: Id; keep?: string | null; ofKeys?: boolean }
  | { do: 'add-invitation'; invitation: Invitation; hash: string }
  | { do: 'end-invitations'; where: { ids?: Id[]; team?: Id; createdBy?: Id } }
  | { do: 'put-rule'; rule: Rule }
  | { do: 'remove-rules'; where: { source?: RuleSource; team?: Id } }
  | { do: 'remove-passwords'; accounts: Id[] }
  | { do: 'add-domain'; domain: Domain }
  | { do: 'set-domain'; domain: Id; set: DomainChange & { updatedAt: Date } }
  /** Hides a domain with its accounts and mailboxes immediately, and makes its name available again. Upkeep removes the rows later. */
  | { do: 'delete-domain'; domain: Id; now: Date }
  | { do: 'add-account'; account: Account; passwordHash: string | null }
  /** Changes an account. `room`: also removes the mark that the account is full. */
  | { do: 'set-account'; account: Id; set: AccountChange & { updatedAt: Date }; room: boolean }
  /** Hides an account with its mailboxes immediately, and makes its address available again. Upkeep removes the rows later. */
  | { do: 'delete-account'; account: Id; now: Date }
  | { do: 'add-mailbox'; mailbox: Mailbox; owner: Id }
  | { do: 'rename-mailbox'; mailbox: Id; path: string }
  /**
   * Hides a mailbox with its messages immediately, and subtracts their bytes from the account. Also removes the mark that the account is
   * full.
   */
  | { do: 'delete-mailbox'; mailbox: Id; account: Id; now: Date }
  | { do: 'put-search'; team: Id; search: SavedSearch }
  | { do: 'remove-searches'; where: { id?: Id; team?: Id } }
  /**
   * Adds mail rules, or changes existing rules that have the same IDs. Changed rules keep their counts. Changes the version of the team's
   * rules.
   */
  | { do: 'put-mail-rules'; team: Id; rules: MailRule[] }
  /** Removes some or all of the team's mail rules. Changes the version of the team's rules. */
  | { do: 'remove-mail-rules'; team: Id; ids?: Id[] }
  /** Adds a failure, or changes its counts. A failure rule has an empty key. */
  | { do: 'put-failure'; team: Id; key: string; failure: Failure }
  /** Removes failures: those with some IDs, those that have ended at a certain time (`over`), or all of the team's. */
  | { do: 'remove-failures'; team: Id; ids?: Id[]; over?: Date }
  /** Changes the version of the team's failure rules. */
  | { do: 'renew-failures'; team: Id }
  | { do: 'add-share'; share: Share; hash: string }
  | { do: 'set-share'; share: Id; set: Pick<Share, 'openedAt'> }
  | { do: 'end-shares'; where: { ids?: Id[]; team?: Id; createdBy?: Id } };

/** Stored session, identified by the SHA-256 (hex) of the cookie's secret. */
export type StoredSession = { hash: string; userId: Id; keyId: Id | null; createdAt: Date; expiresAt: Date };

/** Decision of a change: the rows to write, and the result for the caller. */
export type Plan<Result> = { writes: Write[]; result: Result };

/** Change to rows: a pure function of facts that may throw the core's named errors. */
export type Change<Args extends Scope, Result> = {
  name: string;
  needs: readonly (keyof Facts)[];
  plan(facts: Facts, args: Args): Plan<Result>;
};

/**
 * Declares a change. `needs` are the facts that `plan` depends on. The name must be unique, because a store may run the plan in a thread
 * and finds it by its name.
 */
export function defineChange<Need extends keyof Facts, Args extends Scope, Result>(
  name: string,
  needs: readonly Need[],
  plan: (facts: Pick<Facts, Need>, args: Args) => Plan<Result>,
): Change<Args, Result> {
  return { name, needs, plan };
}

/** Rows of users, teams and what relates them, and of domains, accounts and mailboxes. */
export type RowStore = {
  /**
   * Reads the facts that a change needs, plans the change and writes the plan, all in one transaction. Throws the plan's errors, and
   * Duplicate for a value that must be unique: an email address, an identity, a managed team's or domain's name, or a key's hash.
   */
  change<Args extends Scope, Result>(change: Change<Args, Result>, args: Args): Promise<Result>;
  /** Reads the fact with this name, without a lock. A change that needs the same fact reads it again under its locks. */
  read<Name extends keyof Reads>(name: Name, scope: ReadScope): Promise<Reads[Name]>;
  /** Reads a page of the list with a name, and counts the list. */
  list<Name extends keyof Lists>(
    name: Name,
    where: Lists[Name]['where'],
    page: Page,
  ): Promise<Slice<Lists[Name]['item']>>;
};

export type RowReader = Pick<RowStore, 'read'>;
export type RowLists = Pick<RowStore, 'list'>;
