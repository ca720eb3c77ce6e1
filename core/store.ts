import type { ApiKeyStore, SessionStore, UserStore } from '#core/access/access.ts';
import type { Payers } from '#core/access/payers.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { ArchiveStore } from '#core/archive/archive.ts';
import type { RowStore } from '#core/change.ts';
import type { DeliveryStore } from '#core/delivery/delivery.ts';
import type { DomainStore } from '#core/domains/domain.ts';
import type { DomainMoves } from '#core/domains/move.ts';
import type { Committed, Journal } from '#core/events/event.ts';
import type { MailboxStore } from '#core/mailboxes/mailbox.ts';
import type { ManagerStore } from '#core/managers/manager.ts';
import type { MessageStore, Visibility } from '#core/messages/message.ts';
import type { TagStore } from '#core/messages/tag-counts.ts';
import type { RefusalStore } from '#core/refusals/refusal.ts';
import type { AuditStore } from '#core/teams/audit-log.ts';
import type { TeamStore } from '#core/teams/team.ts';

/** Elects the process that performs the upkeep. */
export type LeaseStore = {
  /** Acquires or renews the lease for `ttlMs` (0 releases it) if it is free, expired or already the holder's. */
  claim(name: string, holder: string, ttlMs: number, now: Date): Promise<boolean>;
};

/** Work on all teams' rows that a store needs from time to time. */
export type UpkeepWork =
  /** Removes messages that are no longer visible because of their age. */
  | { do: 'remove-expired-messages'; visibility: Visibility }
  /**
   * Removes what was soft-deleted, with everything that belongs to it: messages first, then mailboxes, accounts, domains, and
   * teams without domains.
   */
  | { do: 'remove-soft-deleted'; now: Date }
  /** Removes raw bodies that were started before an instant and never got a message. */
  | { do: 'remove-orphan-bodies'; before: Date }
  /** Removes expired sessions, invitations, failures and share links. */
  | { do: 'remove-expired-secrets'; now: Date }
  | { do: 'prune-audit-log'; before: Date }
  | { do: 'prune-refusals'; before: Date }
  /** Removes events older than `before`, and all but the newest `keep` of each team. Numbers continue. */
  | { do: 'prune-journal'; before: Date; keep: number }
  /** Fills the columns that messages from earlier versions lack. */
  | { do: 'fill-columns' };

/** Outcome of one step. `more`: another step may find rows. `removed`: number of messages that it removed. */
export type UpkeepStep = { more: boolean; removed: Committed<number>[] };

/** Reads that a single request may make several times. A store is also a reader: each of its reads shows the state at its call. */
export type Reader = {
  apiKeys: Pick<ApiKeyStore, 'findByHash'>;
  sessions: Pick<SessionStore, 'find'>;
  mailboxes: Pick<MailboxStore, 'find'>;
  messages: Pick<MessageStore, 'find' | 'list'>;
  teams: Pick<TeamStore, 'find' | 'roleOf'>;
};

/** Store with all of its ports. Both stores pass the same conformance suite, `test/once/conformance`. */
export type Store = {
  /** Name of this installation, which all processes on the store share but no other installation has. */
  installation: string;
  domains: DomainStore;
  moves: DomainMoves;
  mailboxes: MailboxStore;
  accounts: AccountStore;
  messages: MessageStore;
  tags: TagStore;
  deliveries: DeliveryStore;
  journal: Journal;
  rows: RowStore;
  users: UserStore;
  sessions: SessionStore;
  apiKeys: ApiKeyStore;
  teams: TeamStore;
  payers: Payers;
  auditLog: AuditStore;
  refusals: RefusalStore;
  leases: LeaseStore;
  managers: ManagerStore;
  archive: ArchiveStore;
  /** Performs one step, on up to `limit` messages or rows of one kind. Repeating a step is safe. */
  upkeep(work: UpkeepWork, limit: number): Promise<UpkeepStep>;
  /** Creates a request's reader. Its reads show the state at the call or later, so they may share work. */
  reader(): Reader;
  /** Measures the store's bytes and its disk's free bytes. Null if the disk is on another server. */
  size(): Promise<{ bytes: number; freeBytes: number } | null>;
  /** Resolves when the store answers and can accept mail. Throws StoreUnavailable, and StoreFull for a full disk. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
