import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import {
  type KnownVersions,
  planUpgrade,
  refusalOf,
  type Upgrade,
  versionOf,
} from '#adapters/stores/version.ts';
import type {
  AccountRow,
  ApiKeyRow,
  AuditRow,
  ClaimRow,
  ConversationRow,
  CounterRow,
  DomainRow,
  FailureRow,
  IdentityRow,
  JournalRow,
  LeaseRow,
  MailboxRow,
  MailRuleRow,
  MemberRow,
  MessageRow,
  MetaRow,
  OrphanBodyRow,
  RefusalRow,
  SearchPieceRow,
  SessionRow,
  TeamRow,
  TeamVersionRow,
  TokenRow,
  UserRow,
} from './rows.ts';

/**
 * Versions of the collections' layout, and the migrations between them. A migration adds fields that are absent in earlier rows, and
 * indexes (`indexes.ts`). `fill` completes the rows later.
 */
const known: KnownVersions = {
  oldest: 6,
  migrations: [
    { to: 7, adds: "each message's code, link and counted bytes" },
    { to: 8, adds: 'the time at which an account became full' },
    { to: 9, adds: 'saved searches' },
    { to: 10, adds: 'events that cover several messages' },
    { to: 11, adds: 'message tags, and list-index facts for frequent searches' },
    { to: 12, adds: "a domain's assumed client address" },
    { to: 13, adds: 'mail rules' },
    { to: 14, adds: 'an index of tagged messages' },
    { to: 15, adds: 'simulated failures' },
    { to: 16, adds: 'refused mail' },
    { to: 17, adds: 'share links' },
    { to: 18, adds: 'API keys limited to accounts' },
    { to: 19, adds: "a team's choice of mail clients" },
  ],
};

/** Reads which way a database has to the version of this program. Null for one without a version, which is new. */
export async function upgradeOf({ meta }: Pick<Collections, 'meta'>): Promise<Upgrade | null> {
  const schema = await meta.findOne({ _id: 'schema' });
  if (schema?.version === undefined) return null;
  const { version: needs, migrations: applied = [] } = schema;
  const upgrade = planUpgrade({ needs, applied }, known);
  if (typeof upgrade !== 'string') return upgrade;
  throw new Error(refusalOf(upgrade, 'the database', { needs, known, another: 'SANDPOST_MONGODB_URI' }));
}

/** Writes the version to a new database. Throws an error of one sentence if this program does not work with the database. */
export async function checkSchema(collections: Collections): Promise<void> {
  // The version is that of the oldest program that works with the database, which earlier programs compare with their own.
  const first = { $setOnInsert: { version: known.oldest } };
  await collections.meta.updateOne({ _id: 'schema' }, first, { upsert: true });
  await upgradeOf(collections);
}

/** Notes the migrations whose fields and indexes are there. Many processes may do so at once. */
export async function noteMigrations({ meta }: Collections): Promise<void> {
  const latest = versionOf(known);
  const applied = known.migrations.map(({ to }) => to);
  await meta.updateOne(
    { _id: 'schema', migrations: { $ne: latest } },
    { $addToSet: { migrations: { $each: applied } } },
  );
}

/** Returns the name of this installation, which is created once. It keeps the installations that share a Redis apart. */
export async function installationOf({ meta }: Collections): Promise<string> {
  const row = await meta.findOneAndUpdate(
    { _id: 'installation' },
    { $setOnInsert: { name: randomUUID() } },
    { upsert: true, returnDocument: 'after' },
  );
  if (row?.name === undefined) throw new Error('the installation has no name');
  return row.name;
}

/** Collections of a store, with their names in the database. Those that only the steps of `rows/` use have no type. */
export type Collections = ReturnType<typeof collectionsOf>;

export function collectionsOf(db: Db) {
  return {
    meta: db.collection<MetaRow>('meta'),
    counters: db.collection<CounterRow>('counters'),
    leases: db.collection<LeaseRow>('leases'),
    claims: db.collection<ClaimRow>('claims'),
    orphans: db.collection('orphans'),
    users: db.collection<UserRow>('users'),
    identities: db.collection<IdentityRow>('identities'),
    teams: db.collection<TeamRow>('teams'),
    members: db.collection<MemberRow>('members'),
    memberRules: db.collection('memberRules'),
    invitations: db.collection('invitations'),
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
    mailRules: db.collection<MailRuleRow>('mailRules'),
    failures: db.collection<FailureRow>('failures'),
    savedSearches: db.collection('savedSearches'),
    shares: db.collection('shares'),
    orphanBodies: db.collection<OrphanBodyRow>('orphanBodies'),
    refusals: db.collection<RefusalRow>('refusals'),
  };
}
