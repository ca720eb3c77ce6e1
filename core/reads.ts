import type { ApiKey, Identity, UserRecord } from '#core/access/access.ts';
import type { Invitation, MemberRule, RuleGrants, RuleSource, Team } from '#core/access/people.ts';
import type { Grant } from '#core/access/role.ts';
import type { Account } from '#core/accounts/account.ts';
import type { Credentials } from '#core/archive/archive.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Failure, TeamFailures } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Orphan } from '#core/managers/manager.ts';
import type { Refusal } from '#core/refusals/refusal.ts';
import type { MailRule, TeamRules } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import type { ListedShare } from '#core/shares/share.ts';
import type { AuditEntry } from '#core/teams/audit-log.ts';
import type { Member, TeamOfMember } from '#core/teams/team.ts';

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

type List<Where, Item> = { where: Where; item: Item };

/** Lists from which `rows.list` reads a page. */
export type Lists = {
  /** All users, by id. */
  users: List<object, UserRecord>;
  /** A team's API keys, newest first. */
  apiKeys: List<{ team: Id }, ApiKey>;
  /** Shared and managed teams, and personal ones if requested, by id. */
  teams: List<{ personal?: true }, Team>;
  /** A user's teams, by id. */
  teamsOf: List<{ user: Id }, TeamOfMember & { grants: Grant[] }>;
  /** A team's members, by user id. */
  members: List<{ team: Id }, Member>;
  /** A team's unexpired invitations, newest first. */
  invitations: List<{ team: Id; now: Date }, Invitation>;
  /** A team's domains, oldest first. */
  domains: List<{ team: Id; name?: string; active?: boolean }, Domain>;
  /** Accounts marked as full, of a team in the order of their marks, or of all teams (null). */
  fullAccounts: List<{ team: Id | null }, Pick<Account, 'id' | 'address'>>;
  /** A team's unexpired failure rules, or the rule with an id, oldest first, with their attempts. */
  failures: List<{ team: Id; now: Date; id?: Id }, Failure>;
  /** A team's unexpired links, or the link with a hash, newest first. */
  shares: List<({ team: Id } | { hash: string }) & { now: Date }, ListedShare>;
  /** A team's refusals after an instant, newest first, or the refusal with an id. */
  refusals: List<{ team: Id; after: Date; id?: Id | undefined }, Refusal>;
  /** A team's audit log, newest first. */
  auditLog: List<{ team: Id }, AuditEntry>;
};
