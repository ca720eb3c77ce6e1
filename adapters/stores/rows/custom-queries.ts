import type { Identity } from '#core/access/access.ts';
import type { Grant, Role } from '#core/access/role.ts';
import type { Facts } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Page } from '#core/page.ts';
import type { AnyTable } from './table.ts';

export type MemberOf = { team: Id; user: Id; role: Role; grants: Grant[]; joinedAt: Date };

/** Condition for members: those of a team, a user's memberships, or those with a grant from a source. */
export type MembersWhere = { team?: Id; user?: Id; source?: string };

/**
 * Operations on rows that the stores keep in different shapes. SQLite has a row for each grant and group, and hides the objects in a
 * deleted domain. MongoDB has lists within a row, and marks each of these objects.
 */
export type CustomQueries = {
  /** Reserves ids for new rows, in ascending order. */
  takeIds(table: AnyTable, count: number): Id[];
  members(where: MembersWhere, page?: Page): MemberOf[];
  countMembers(where: { team: Id } | { user: Id }): number;
  owners(teams: Id[]): { team: Id; user: Id }[];
  putMember(team: Id, user: Id, member: { grants: Grant[]; joinedAt: Date; suspended: boolean }): void;
  removeMembers(where: { team?: Id; user?: Id }): void;
  /** Marks a disabled user's memberships. */
  suspend(user: Id, suspended: boolean): void;
  groupsOf(user: Id): string[];
  usersIn(group: string): Id[];
  setGroups(user: Id, groups: string[]): void;
  holderOf(identity: Identity): Id | null;
  /** Reads a user's identities, by issuer. */
  identitiesOf(user: Id): Identity[];
  addIdentity(user: Id, identity: Identity): void;
  removeIdentities(user: Id): void;
  /** Finds another team's domain above or below a name. */
  related(owner: Id, name: string): string | null;
  /** Counts the objects that a team owns for its quota, including those moving to it. */
  owned(what: 'domains' | 'accounts', team: Id): number;
  versions(team: Id): { rules: number; failures: number };
  renewRules(team: Id): void;
  renewFailures(team: Id): void;
  /** Copies to a new domain the team's fields that each of its domains repeats. */
  joinTeam(domain: Id, team: Id): void;
  countFailures(team: Id, now: Date): Facts['failures'];
  addMailboxes(mailboxes: Mailbox[], owner: Id): void;
  /** Reads the mailboxes of a team's messages. Omits removed messages. */
  mailboxesWith(messages: Id[], owner: Id): { id: Id; mailboxId: Id }[];
  hideTeam(team: Id, now: Date): void;
  hideDomain(domain: Id, now: Date): void;
  hideAccount(account: Id, now: Date): void;
  hideMailbox(mailbox: Id, account: Id, now: Date): void;
  /** Removes a team's refusals beyond `most`: always the oldest refusal of the remote address with the most refusals. */
  trimRefusals(team: Id, most: number): void;
};
