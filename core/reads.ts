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

/** Rows that a read concerns. The fields identify them. */
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

/** Values that `rows.read` returns for a scope. */
export type Reads = {
  /** Membership of a user in a team. */
  member: Member | null;
  /** Invitation with this hash, if it is valid at `now`. */
  invitation: Invitation | null;
  /** Rules of Member resources by ID, or the rule of one source. */
  memberRules: MemberRule[];
  /** Grants that a source's rule or a user's rules should create, and grants that users currently have from these rules. */
  ruleGrants: RuleGrants;
  /** Domain of a team, by ID or name. */
  domain: Domain | null;
  /** True if no domain has this name and no other team has a domain above or below it. */
  isFree: boolean;
  /** Saved searches of a team, oldest first, up to `owned.savedSearches`. */
  searches: SavedSearch[];
  /** Mail rules of a team, in order. */
  mailRules: MailRule[];
  /** Mail rules or failure rules, with their version. The rules may be newer than the version, but never older. */
  versionedRules: TeamRules;
  versionedFailures: TeamFailures;
  /** Identities of a user, by issuer. */
  identities: Identity[];
  credentials: Credentials;
  /**
   * Objects that Kubernetes resources manage: all teams' domains and accounts, and one team's keys. With a manager, only this manager's
   * objects.
   */
  managedDomains: Domain[];
  managedAccounts: Omit<Account, 'mailboxes'>[];
  managedAccountsWithMailboxes: Account[];
  managedKeys: ApiKey[];
  /** Cluster that manages each team's objects, for teams whose objects were claimed. */
  claims: Map<Id, string>;
  /** Orphans: all of them, or only the one that the scope names. */
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
  /** User's teams, by id. */
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
