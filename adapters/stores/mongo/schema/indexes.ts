import type { CreateIndexesOptions, Db, IndexDirection } from 'mongodb';
import { type Collections, never, notDeleted } from './rows.ts';

type Index = [keys: Record<string, IndexDirection>, options?: CreateIndexesOptions];

const unique = { unique: true };
const existing = { partialFilterExpression: notDeleted };
const uniqueExisting = { ...unique, ...existing };
const managed = { partialFilterExpression: { ...notDeleted, managedBy: { $type: 'string' } } };
const deleted = { partialFilterExpression: { deleted: true } };

/**
 * Order of lists. A list skips and counts rows by index entries alone, because the index contains the fields after `_id`, and a search
 * skips rows by their traits.
 */
const listOrder = { number: -1, _id: -1, receivedAt: 1, dueAt: 1, sentCopy: 1 } as const;

/** Hints for the indexes of lists. Indexes with `marks` serve lists filtered by flags. */
export const listHint = {
  mailbox: { mailboxId: 1, ...listOrder, traits: 1 },
  owner: { owner: 1, ...listOrder, traits: 1 },
  mailboxMarks: { mailboxId: 1, marks: 1, ...listOrder },
  ownerMarks: { owner: 1, marks: 1, ...listOrder },
} as const;

/** Hint for the index of the messages that `fill` must complete. */
export const unfilledHint = { traits: 1 } as const;

/** Hint for the index of the messages with tags. */
export const taggedHint = { owner: 1, number: -1 } as const;

/** Index of the accounts marked as full, which `rows/ports.ts` names as a hint. */
const fullHint = { owner: 1, fullAt: 1 } as const;

/** Indexes of the store. Each query uses one of them. Names are unique among the rows that are not soft-deleted. */
const indexes: { [name in keyof Collections]?: Index[] } = {
  users: [
    [{ email: 1 }, unique],
    [{ groups: 1, _id: 1 }, { sparse: true }],
  ],
  identities: [[{ userId: 1, issuer: 1 }, unique]],
  teams: [
    [{ name: 1 }, { ...unique, partialFilterExpression: { ...notDeleted, kind: 'managed' } }],
    [{ deleted: 1, kind: 1, _id: 1 }],
  ],
  members: [[{ team: 1, user: 1 }, unique], [{ user: 1, team: 1 }], [{ 'grants.source': 1 }]],
  memberRules: [[{ source: 1 }, unique], [{ team: 1 }], [{ email: 1 }], [{ group: 1 }]],
  mailRules: [[{ team: 1, position: 1, _id: 1 }]],
  failures: [[{ team: 1, key: 1, _id: 1, expiresAt: 1 }], [{ expiresAt: 1 }]],
  savedSearches: [[{ team: 1, _id: 1 }]],
  shares: [[{ hash: 1 }, unique], [{ team: 1, _id: -1 }], [{ createdBy: 1 }], [{ expiresAt: 1 }]],
  invitations: [[{ hash: 1 }, unique], [{ team: 1, _id: -1 }], [{ createdBy: 1 }], [{ expiresAt: 1 }]],
  auditLog: [[{ team: 1, at: -1, _id: -1 }], [{ at: 1 }], [{ team: 1, actor: 1, action: 1, at: 1 }]],
  sessions: [[{ userId: 1, expiresAt: -1 }], [{ expiresAt: 1 }], [{ keyId: 1 }]],
  apiKeys: [[{ hash: 1 }, unique], [{ owner: 1, _id: -1 }], [{ createdBy: 1 }]],
  journal: [
    [{ owner: 1, number: 1 }, unique],
    [{ messageId: 1 }, { partialFilterExpression: { type: 'message.deleted' } }],
  ],
  domains: [
    [{ name: 1 }, uniqueExisting],
    [{ path: 1 }, existing],
    [{ owner: 1, _id: 1 }, existing],
    [{ 'verification.nextCheckAt': 1, owner: 1 }, existing],
    [{ managedBy: 1 }, managed],
    [{ deleted: 1 }, deleted],
  ],
  accounts: [
    [{ address: 1 }, uniqueExisting],
    [{ domainId: 1 }, { ...unique, partialFilterExpression: { ...notDeleted, catchAll: true } }],
    [{ owner: 1 }, { ...unique, partialFilterExpression: { ...notDeleted, capture: true } }],
    [{ domainId: 1, _id: 1 }, existing],
    [{ owner: 1, _id: 1 }, existing],
    [{ managedBy: 1 }, managed],
    [{ deleted: 1 }, deleted],
    [fullHint, { partialFilterExpression: { ...notDeleted, fullAt: { $type: 'date' } } }],
  ],
  mailboxes: [
    [{ accountId: 1, pathKey: 1 }, uniqueExisting],
    [{ accountId: 1, _id: 1 }, existing],
    [{ owner: 1, pathKey: 1 }, existing],
    [{ deleted: 1, owner: 1 }, deleted],
  ],
  messages: [
    ...Object.values(listHint).map((keys): Index => [keys]),
    [{ accountId: 1, ownToken: 1 }],
    [{ conversationId: 1, number: 1, _id: 1 }, { partialFilterExpression: { conversationId: { $gt: 0 } } }],
    [{ receivedAt: 1 }],
    [taggedHint, { partialFilterExpression: { tags: { $exists: true } } }],
    [unfilledHint, { partialFilterExpression: { traits: null } }],
    [{ dueAt: 1 }, { partialFilterExpression: { dueAt: { $lt: never } } }],
  ],
  tokens: [[{ conversationId: 1 }]],
  searchPieces: [[{ owner: 1, accountId: 1 }], [{ messageId: 1 }]],
  orphans: [[{ owner: 1 }]],
  refusals: [[{ team: 1, at: -1, _id: -1 }], [{ at: 1 }]],
  orphanBodies: [[{ spent: 1, begunAt: 1 }]],
};

/** GridFS buckets, with the indexes that the specification requires. */
const buckets = ['bodies', 'largeContents'];
const files: Index = [{ filename: 1, uploadDate: 1 }];
const chunks: Index = [{ files_id: 1, n: 1 }, unique];

/** Creates missing collections and indexes. Many processes may do so at the same time, because existing indexes are left unchanged. */
export async function ensureIndexes(db: Db, collections: Collections): Promise<void> {
  const wanted = Object.entries(collections).map(([name, collection]): [string, Index[]] => [
    collection.collectionName,
    indexes[name as keyof Collections] ?? [],
  ]);
  for (const bucket of buckets) wanted.push([`${bucket}.files`, [files]], [`${bucket}.chunks`, [chunks]]);
  const make = async ([name, list]: [string, Index[]]) => {
    const specs = list.map(([key, options]) => ({ key, ...options }));
    // Creates all collections before the first transaction, which cannot wait until they exist.
    if (specs.length > 0) await db.collection(name).createIndexes(specs);
    else await db.createCollection(name).catch(ignoreExisting);
  };
  await Promise.all(wanted.map(make));
}

function ignoreExisting(error: unknown): void {
  const namespaceExists = 48;
  if (!(error instanceof Error && 'code' in error && error.code === namespaceExists)) throw error;
}
