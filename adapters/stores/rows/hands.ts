import type { Identity } from '#core/access/access.ts';
import type { Grant, Role } from '#core/access/role.ts';
import type { Facts } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Page } from '#core/page.ts';
import type { AnyTable } from './table.ts';

export type MemberOf = { team: Id; user: Id; role: Role; grants: Grant[]; joinedAt: Date };

/** Members of a team, teams of a user, or who has a grant of a source. */
export type MembersWhere = { team?: Id; user?: Id; source?: string };

/**
 * Work on rows that the stores keep in different shapes: SQLite has a row for each grant and each group, and hides what is in a
 * deleted domain, while MongoDB has lists in a row, and a mark on each.
 */
export type Hands = {
  /** Takes ids for new rows, in ascending order. */
  takeIds(table: AnyTable, count: number): Id[];
  /** Reads members by team and user, and those of a source. */
  members(where: MembersWhere, page?: Page): MemberOf[];
  countMembers(where: { team: Id } | { user: Id }): number;
  owners(teams: Id[]): { team: Id; user: Id }[];
  putMember(team: Id, user: Id, member: { grants: Grant[]; joinedAt: Date; suspended: boolean }): void;
  removeMembers(where: { team?: Id; user?: Id }): void;
  /** Marks the memberships of a disabled user. */
  suspend(user: Id, suspended: boolean): void;
  groupsOf(user: Id): string[];
  usersIn(group: string): Id[];
  setGroups(user: Id, groups: string[]): void;
  holderOf(identity: Identity): Id | null;
  /** Reads the identities of a user, by issuer. */
  identitiesOf(user: Id): Identity[];
  addIdentity(user: Id, identity: Identity): void;
  removeIdentities(user: Id): void;
  /** Finds a domain of another team above or below a name. */
  related(owner: Id, name: string): string | null;
  /** Counts what a team owns for its quota, with what is on its way to it. */
  owned(what: 'domains' | 'accounts', team: Id): number;
  versions(team: Id): { rules: number; failures: number };
  renewRules(team: Id): void;
  renewFailures(team: Id): void;
  /** Gives a new domain what it repeats of its team. */
  joinTeam(domain: Id, team: Id): void;
  countFailures(team: Id, now: Date): Facts['failures'];
  addMailboxes(mailboxes: Mailbox[], owner: Id): void;
  hideTeam(team: Id, now: Date): void;
  hideDomain(domain: Id, now: Date): void;
  hideAccount(account: Id, now: Date): void;
  hideMailbox(mailbox: Id, account: Id, now: Date): void;
  /** Removes the refusals of a team beyond `most`: the oldest of the remote address with the most, one after the other. */
  trimRefusals(team: Id, most: number): void;
};
