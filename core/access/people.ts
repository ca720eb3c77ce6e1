import type { Id } from '#core/ids.ts';
import type { User } from './access.ts';
import type { Grant, Role, TeamKind } from './role.ts';

/** Prefix in the names of the teams of Kubernetes namespaces. */
export const namespacePrefix = 'namespace/';

/**
 * Owner of domains, accounts, mail, events and API keys. A `personal` team belongs to one user and has the id of that user. A
 * `shared` team was made by a user. A `managed` team was made by an administrator, by groups of the identity provider, or for
 * a Kubernetes namespace (`namespace/<name>`); no other managed team has its name. `allowsShares`: its members may make share links.
 * `clients`: mail clients that its messages are checked for, null for all.
 */
export type Team = {
  id: Id;
  name: string;
  kind: TeamKind;
  createdAt: Date;
  allowsShares: boolean;
  clients: string[] | null;
};

/** User with all that changes decide by. `groups` are those of the latest sign-in by the identity provider. */
export type Person = User & {
  passwordHash: string | null;
  emailVerified: boolean;
  disabledAt: Date | null;
  groups: string[];
};

/**
 * Invitation to a team, for the user with `email` or, without one, for the first who accepts it. `createdBy` is the owner who
 * made it, or null for a key without a creator. It ends when they are disabled or stop being an owner.
 */
export type Invitation = {
  id: Id;
  team: Id;
  role: Role;
  email: string | null;
  createdBy: Id | null;
  createdAt: Date;
  expiresAt: Date;
};

/** Source of the memberships that a Member resource gives: `<namespace>/<name>`. */
export type RuleSource = `${string}/${string}`;

/**
 * Rule of a Member resource: the user with `email` (lower case), or each user in `group` of the identity provider, has `role`
 * in `team`. One of `email` and `group` is null. `role` is null for a rule that has ended, until its memberships are removed.
 */
export type Rule = {
  id: Id;
  source: RuleSource;
  team: Id;
  email: string | null;
  group: string | null;
  role: Role | null;
};

/** Membership of a user. `hasOtherOwner`: somebody else is an owner of the team. */
export type Membership = {
  user: { id: Id; email: string };
  team: { id: Id; name: string; kind: TeamKind };
  grants: Grant[];
  joinedAt: Date;
  hasOtherOwner: boolean;
};

/**
 * Rows around a user. `memberships` are all of the user and all in the personal team. `keys` and `invitations` are those of the
 * personal team and those that the user made. `accounts` are those of the personal team that have a password.
 */
export type Surroundings = {
  memberships: Membership[];
  keys: { id: Id; team: Id; name: string; createdBy: Id | null }[];
  accounts: { id: Id; address: string }[];
  invitations: { id: Id; team: Id; createdBy: Id | null }[];
};

/** Rule of a Member resource. `members` are the users who are members by it. */
export type MemberRule = Rule & { members: Id[] };

/** Role that a user has, or is to have, in a team by a rule. */
export type RuleGrant = { team: Id; user: Id; source: RuleSource; role: Role };

/** Grants that rules give, and those that users have by them. `settle`, which is safe to repeat, makes the second equal to the first. */
export type RuleGrants = { given: RuleGrant[]; held: RuleGrant[] };
