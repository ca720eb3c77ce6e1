import type { Db } from 'mongodb';
import type {
  AccountRow,
  ApiKeyRow,
  AuditRow,
  ClaimRow,
  ConversationRow,
  CounterRow,
  DomainRow,
  IdentityRow,
  InvitationRow,
  JournalRow,
  LeaseRow,
  MailboxRow,
  MemberRow,
  MemberRuleRow,
  MessageRow,
  MetaRow,
  OrphanBodyRow,
  OrphanRow,
  SearchPieceRow,
  SessionRow,
  TeamRow,
  TeamVersionRow,
  TokenRow,
  UserRow,
} from './rows.ts';

/** Collections of a store, with their names in the database. */
export type Collections = ReturnType<typeof collectionsOf>;

export function collectionsOf(db: Db) {
  return {
    meta: db.collection<MetaRow>('meta'),
    counters: db.collection<CounterRow>('counters'),
    leases: db.collection<LeaseRow>('leases'),
    claims: db.collection<ClaimRow>('claims'),
    orphans: db.collection<OrphanRow>('orphans'),
    users: db.collection<UserRow>('users'),
    identities: db.collection<IdentityRow>('identities'),
    teams: db.collection<TeamRow>('teams'),
    members: db.collection<MemberRow>('members'),
    memberRules: db.collection<MemberRuleRow>('memberRules'),
    invitations: db.collection<InvitationRow>('invitations'),
    auditLog: db.collection<AuditRow>('auditLog'),
    sessions: db.collection<SessionRow>('sessions'),
    apiKeys: db.collection<ApiKeyRow>('apiKeys'),
    teamVersions: db.collection<TeamVersionRow>('teamVersions'),
    journal: db.collection<JournalRow>('journal'),
    domains: db.collection<DomainRow>('domains'),
    accounts: db.collection<AccountRow>('accounts'),
    mailboxes: db.collection<MailboxRow>('mailboxes'),
    messages: db.collection<MessageRow>('messages'),
    searchPieces: db.collection<SearchPieceRow>('searchPieces'),
    conversations: db.collection<ConversationRow>('conversations'),
    tokens: db.collection<TokenRow>('tokens'),
    orphanBodies: db.collection<OrphanBodyRow>('orphanBodies'),
  };
}
