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

/** Rows that a read is about, by the fields that it names. */
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

/** Values that `rows.read` finds by a scope. */
export type Reads = {
  /** Membership of a user in a team. */
  member: Member | null;
  /** Invitation with a hash that is valid `now`. */
  invitation: Invitation | null;
  /** Rules of Member resources, by id, or that of a source. */
  memberRules: MemberRule[];
  /** Grants that the rule of a source, or the rules for a user, give, and those that users have by it or them. */
  ruleGrants: RuleGrants;
  /** Domain of a team by its id or its name. */
  domain: Domain | null;
  /** True where no domain has the name, and no domain of another team lies above or below it. */
  isFree: boolean;
  /** Saved searches of a team, oldest first: `owned.savedSearches` at most. */
  searches: SavedSearch[];
  /** Rules of a team for mail, in their order. */
  mailRules: MailRule[];
  /** Rules of a team for mail, or its failure rules, with a version that is not newer than they are. */
  versionedRules: TeamRules;
  versionedFailures: TeamFailures;
  /** Identities of a user, by issuer. */
  identities: Identity[];
  credentials: Credentials;
  /** Objects that Kubernetes resources manage: domains and accounts of all teams, and keys of a team, or those of one manager. */
  managedDomains: Domain[];
  managedAccounts: Omit<Account, 'mailboxes'>[];
  managedAccountsWithMailboxes: Account[];
  managedKeys: ApiKey[];
  /** Cluster of each team whose managed objects were claimed. */
  claims: Map<Id, string>;
  /** All orphans, or the one that is named. */
  orphans: Orphan[];
};
