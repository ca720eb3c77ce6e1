import type { ApiKey, Identity } from '#core/access/access.ts';
import type { Invitation, MemberRule, RuleGrants, RuleSource } from '#core/access/people.ts';
import type { Account } from '#core/accounts/account.ts';
import type { Credentials } from '#core/archive/archive.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { TeamFailures } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Orphan } from '#core/managers/manager.ts';
import type { MailRule, TeamRules } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import type { Member } from '#core/teams/team.ts';

/** Rows that a read concerns, by the fields that it names. */
export type ReadScope = {
  team?: Id;
  user?: Id;
  rule?: RuleSource;
  invitation?: string;
  domain?: string | Id;
  now?: Date;
  manager?: string;
  orphan?: Pick<Orphan, 'kind' | 'id'>;
};

/** Values that `rows.read` finds for a scope. */
export type Reads = {
  /** Membership of a user in a team. */
  member: Member | null;
  /** Invitation with a hash, if it is valid `now`. */
  invitation: Invitation | null;
  /** Rules of Member resources by id, or a source's rule. */
  memberRules: MemberRule[];
  /** Grants that a source's rule, or a user's rules, give, and grants that users currently have from them. */
  ruleGrants: RuleGrants;
  /** Domain of a team, by id or name. */
  domain: Domain | null;
  /** True if no domain has the name, and no other team has a domain above or below it. */
  isFree: boolean;
  /** Saved searches of a team, oldest first: up to `owned.savedSearches`. */
  searches: SavedSearch[];
  /** Mail rules of a team in order. */
  mailRules: MailRule[];
  /** Mail rules or failure rules of a team, with a version that is not newer than they are. */
  versionedRules: TeamRules;
  versionedFailures: TeamFailures;
  /** Identities of a user by issuer. */
  identities: Identity[];
  credentials: Credentials;
  /** Objects that Kubernetes resources manage: domains and accounts of all teams, and a team's keys, or only one manager's objects. */
  managedDomains: Domain[];
  managedAccounts: Omit<Account, 'mailboxes'>[];
  managedAccountsWithMailboxes: Account[];
  managedKeys: ApiKey[];
  /** Cluster for each team whose managed objects were claimed. */
  claims: Map<Id, string>;
  /** Orphans: all, or only the named one. */
  orphans: Orphan[];
};
