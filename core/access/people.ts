import type { Id } from '#core/ids.ts';
import type { User } from './access.ts';
import type { Grant, Role, TeamKind } from './role.ts';

/** Prefix of the names of Kubernetes namespaces' teams. */
export const namespacePrefix = 'namespace/';

/**
 * Owner of domains, accounts, mail, events and API keys. A `personal` team belongs to one user and has that user's ID. A `shared` team
 * was created by a user. A `managed` team was created by an administrator, by an identity provider's groups or by a Kubernetes namespace
 * (`namespace/<name>`), and its name is unique among managed teams. `allowsShares`: members may create share links. `clients`: mail
 * clients that the team's messages are checked for, null for all.
 */
export type Team = {
  id: Id;
  name: string;
  kind: TeamKind;
  createdAt: Date;
  allowsShares: boolean;
  clients: string[] | null;
};

/** User with everything that changes depend on. `groups` are the user's groups at the latest sign-in through the identity provider. */
export type Person = User & {
  passwordHash: string | null;
  emailVerified: boolean;
  disabledAt: Date | null;
  groups: string[];
};

/**
 * Invitation to a team, for the user with `email` or, without it, for the first person who accepts it. `createdBy` is the owner
 * who created it, or null for a key without a creator. It ends when its creator is disabled or stops being an owner. Stores
 * identify it by the SHA-256 (hex) of its token.
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

/** Source of the memberships that a Member resource grants: `<namespace>/<name>`. */
export type RuleSource = `${string}/${string}`;

/**
 * Rule of a Member resource: the user with `email` (lower case), or each user in the identity provider's `group`, has `role` in `team`.
 * Either `email` or `group` is null. `role` is null for a rule that has ended and whose memberships have not been removed yet.
 */
export type Rule = {
  id: Id;
  source: RuleSource;
  team: Id;
  email: string | null;
  group: string | null;
  role: Role | null;
};

/** Membership of a user. `hasOtherOwner`: the team has another owner besides the user. */
export type Membership = {
  user: { id: Id; email: string };
  team: { id: Id; name: string; kind: TeamKind };
  grants: Grant[];
  joinedAt: Date;
  hasOtherOwner: boolean;
};

/**
 * Rows related to a user. `memberships` are all of the user's memberships, and all memberships in the personal team. `keys` and
 * `invitations` are those of the personal team and those that the user created. `accounts` are the personal team's accounts that have a
 * password.
 */
export type Surroundings = {
  memberships: Membership[];
  keys: { id: Id; team: Id; name: string; createdBy: Id | null }[];
  accounts: { id: Id; address: string }[];
  invitations: { id: Id; team: Id; createdBy: Id | null }[];
};

/** Rule of a Member resource. `members` are the users whose membership the rule created. */
export type MemberRule = Rule & { members: Id[] };

/** Role that a rule grants a user in a team. The grant may already exist or still have to be created. */
export type RuleGrant = { team: Id; user: Id; source: RuleSource; role: Role };

/**
 * Grants that rules should create (`given`), and grants that users have from rules (`held`). `settle`, which is safe to repeat, makes
 * `held` equal to `given`.
 */
export type RuleGrants = { given: RuleGrant[]; held: RuleGrant[] };
