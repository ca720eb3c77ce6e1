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
  /** Acquires or renews the lease for `ttlMs` (0 releases it), provided that it is free, has expired or already belongs to the holder. */
  claim(name: string, holder: string, ttlMs: number, now: Date): Promise<boolean>;
};

/** Work on all teams' rows that a store needs to do from time to time. */
export type UpkeepWork =
  /** Removes messages that are too old to be visible. */
  | { do: 'remove-expired-messages'; visibility: Visibility }
  /**
   * Removes soft-deleted rows with everything that belongs to them: first messages, then mailboxes, accounts, domains, and teams without
   * domains.
   */
  | { do: 'remove-soft-deleted'; now: Date }
  /** Removes raw bodies that were started before a point in time and never got a message. */
  | { do: 'remove-orphan-bodies'; before: Date }
  /** Removes expired sessions, invitations, failures and share links. */
  | { do: 'remove-expired-secrets'; now: Date }
  | { do: 'prune-audit-log'; before: Date }
  | { do: 'prune-refusals'; before: Date }
  /** Removes events from before `before`, and all except each team's newest `keep`. Event numbers continue. */
  | { do: 'prune-journal'; before: Date; keep: number }
  /** Fills columns that are missing in messages from earlier versions. */
  | { do: 'fill-columns' };

/** Outcome of one step. `more`: another step may find further rows. `removed`: number of messages that the step removed. */
export type UpkeepStep = { more: boolean; removed: Committed<number>[] };

/**
 * Reads that a single request may need several times. A store is a reader too: each of its reads shows the state at the time of the call.
 */
export type Reader = {
  apiKeys: Pick<ApiKeyStore, 'findByHash'>;
  sessions: Pick<SessionStore, 'find'>;
  mailboxes: Pick<MailboxStore, 'find'>;
  messages: Pick<MessageStore, 'find' | 'list'>;
  teams: Pick<TeamStore, 'find' | 'roleOf'>;
};

/** Store with all of its ports. Both implementations pass the same conformance suite, `test/once/conformance`. */
export type Store = {
  /** Name of this installation. All processes on the store share this name, and no other installation has it. */
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
  /** Performs one step of upkeep, on up to `limit` messages or rows of one kind. Steps may safely be repeated. */
  upkeep(work: UpkeepWork, limit: number): Promise<UpkeepStep>;
  /** Creates a reader for one request. A read shows the state when it is called or later, so several reads may share work. */
  reader(): Reader;
  /** Returns the store's size and its disk's free space in bytes. Returns null if the disk is on another server. */
  size(): Promise<{ bytes: number; freeBytes: number } | null>;
  /** Resolves if the store answers and can accept mail. Throws StoreUnavailable, and throws StoreFull if the disk is full. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
