import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

/** Actions that are noted in the audit log of a team. */
export const auditActions = [
  'session.created',
  'password.changed',
  'user.created',
  'user.disabled',
  'user.enabled',
  'user.taken_over',
  'api_key.created',
  'api_key.revoked',
  'team.created',
  'team.imported',
  'team.renamed',
  'team.deleted',
  'member.joined',
  'member.changed',
  'member.removed',
  'invitation.created',
  'invitation.revoked',
  'domain.moved',
  'domain.deleted',
  'account.deleted',
  'account.password_removed',
] as const;
export type AuditAction = (typeof auditActions)[number];

/**
 * Actor of an entry. `name` is the e-mail of a user, the name of an API key without a creator, `kubernetes` or `administrator`.
 * `remoteAddress` is null for an action without a request.
 */
export type Actor = { name: string; remoteAddress: string | null };

/** Actor of what a Kubernetes resource caused. */
export const kubernetes: Actor = { name: 'kubernetes', remoteAddress: null };

/** Entry of the audit log. `target`: name of the thing that was changed. */
export type AuditEntry = {
  id: Id;
  team: Id;
  at: Date;
  actor: string;
  action: AuditAction;
  target: string;
  remoteAddress: string | null;
};

/** Days for which entries are kept. */
export const auditDays = 90;

/** Number of entries of the store after which one of them trims the log of its team. */
export const trimEvery = 100;

export type AuditStore = {
  /**
   * Writes the entries of teams that exist. An entry whose id is a multiple of `trimEvery` removes the entries of its team
   * beyond the newest `most`.
   */
  record(entries: Omit<AuditEntry, 'id'>[], most: number): Promise<void>;
  /** Lists entries, newest first. */
  list(team: Id, page: Page): Promise<Slice<AuditEntry>>;
  /** Removes at most `limit` entries that are older than `before`. */
  prune(before: Date, limit: number): Promise<number>;
};
