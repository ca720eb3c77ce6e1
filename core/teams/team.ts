import type { Grant, MembershipSource, TeamKind } from '#core/access/grant.ts';
import type { Role } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

/**
 * Owner of domains, accounts, mail, events and API keys. A `personal` team belongs to one user and has the id of that user. A
 * `shared` team was made by a user. A `managed` team was made by an administrator, by groups of the identity provider, or for
 * a Kubernetes namespace (`namespace/<name>`); no other managed team has its name.
 */
export type Team = { id: Id; name: string; kind: TeamKind; createdAt: Date };

/** Prefix in the names of the teams of Kubernetes namespaces. */
export const namespacePrefix = 'namespace/';

/** Member of a team. `role` is the highest of the grants. */
export type Member = { userId: Id; email: string; role: Role; grants: Grant[]; joinedAt: Date };

/** Team as one of its members sees it. */
export type TeamOfMember = Team & { role: Role };

/** Outcome of a change of a membership that was refused: the team would lose its last owner. */
export type LastOwner = 'last-owner';

export type TeamStore = {
  /**
   * Makes a team; `founder` becomes its owner. Returns null where the name of a managed team is taken, or the founder does not
   * exist. Throws OverQuota where the founder is in `most` teams.
   */
  insert(
    team: { name: string; kind: 'shared' | 'managed'; founder: Id | null; createdAt: Date },
    most?: number,
  ): Promise<Team | null>;
  find(id: Id): Promise<Team | null>;
  findManaged(name: string): Promise<Team | null>;
  /** Lists shared and managed teams, by id. */
  list(page: Page): Promise<Slice<Team>>;
  /** Lists the teams that a user is in, by id. */
  listOf(user: Id, page: Page): Promise<Slice<TeamOfMember>>;
  rename(id: Id, name: string): Promise<Team | null>;
  /**
   * Marks a team as deleted and ends its memberships, invitations and API keys. Its domains remain until `clearDeleted`.
   * Returns false where there is no such team.
   */
  softDelete(id: Id, now: Date): Promise<boolean>;
  /** Removes the deleted teams that have no domains left, with their events. Returns the ids of those that have domains. */
  clearDeleted(limit: number): Promise<Id[]>;
  /** Returns the role of a user in a team, or null: not a member, a disabled user, or a deleted team. */
  roleOf(team: Id, user: Id): Promise<Role | null>;
  /** Lists members, by id of the user. */
  members(team: Id, page: Page): Promise<Slice<Member>>;
  findMember(team: Id, user: Id): Promise<Member | null>;
  /**
   * Adds or changes a grant. Returns null where the user or team does not exist, and, with `mustExist`, where
   * there is no such grant. `last-owner`, only with `keepOwner`: nothing
   * was changed. Throws OverQuota where the team has `most` members.
   */
  grant(
    team: Id,
    user: Id,
    grant: Grant,
    options: { now: Date; keepOwner?: boolean; mustExist?: boolean; most?: number },
  ): Promise<Member | LastOwner | null>;
  /**
   * Ends one grant, and, with the last one, the membership, with the keys that the user made in the team and the sessions of
   * those keys. Returns false where there is no such grant.
   */
  revoke(
    team: Id,
    user: Id,
    source: MembershipSource,
    options?: { keepOwner?: boolean },
  ): Promise<boolean | LastOwner>;
  /** Lists the grants of a source that a user has, in all teams. */
  grantsOf(user: Id, source: MembershipSource): Promise<{ team: Id; role: Role }[]>;
};
