import type { Examining } from '#adapters/stores/examining.ts';
import type { BatchStore, Grouping } from '#adapters/stores/group-commit.ts';
import { createBodyWriter } from '#adapters/stores/mongo/bodies/body-writer.ts';
import { chunkBytes } from '#adapters/stores/mongo/bodies/bucket.ts';
import { insertBodies } from '#adapters/stores/mongo/bodies/contents.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { changeCounts } from '#adapters/stores/mongo/counts.ts';
import { insertEvents, returnNumbers } from '#adapters/stores/mongo/journal.ts';
import { StaleRead, type TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { countChange } from '#adapters/stores/mongo/locking/team-versions.ts';
import { fitsRow, newRow } from '#adapters/stores/mongo/messages/message-rows.ts';
import { piecesOf } from '#adapters/stores/mongo/messages/message-search.ts';
import { joinThreads } from '#adapters/stores/mongo/threads/conversations.ts';
import { portionsOf } from '#adapters/stores/portions.ts';
import type { DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import {
  type DeliveryPlan,
  type NewMessage,
  numbersWanted,
  planDelivery,
} from '#core/delivery/plan-delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { plainText } from '#core/messages/mail-record.ts';
import type { ThreadMember } from '#core/messages/threads.ts';
import type { CachedAccount } from './account-cache.ts';
import { createRecipientLookup, readForDelivery } from './delivery-accounts.ts';
import { type StagedMail, stageMails } from './stage-mails.ts';

export function createDeliveries(context: Context): BatchStore {
  return {
    lookUp: createRecipientLookup(context),
    writeBody: () => createBodyWriter(context),
    commitBatch: (mails, over) => commitBatch(context, mails, over),
  };
}

/** Longest time in ms that a batch waits for mails that are being examined (decision 50). */
const waitMs = 10;

/** Choice of the mails of a batch: it waits for those that are being examined, for a short time. */
export function groupingBy(examining: Examining): Grouping {
  return {
    batchKey: keyOf,
    ready: () => examining.ended(waitMs),
    // The commands of a batch cost much the same however few mails it has, and each batch ends the cached lists of its teams. The
    // pace is longer than the transaction of a single mail, so that mail of other clients gathers.
    paceMs: 20,
  };
}

/**
 * One transaction at a time makes the largest batches. A body that is uploaded first would hold the others up, and so would the
 * mails of one request, whose team waits for its earlier ones.
 */
function keyOf([first, ...others]: PreparedMail[]): string | null {
  if (first === undefined) return null;
  if (others.length > 0) return `request of ${first.targets[0]?.owner}`;
  const { body } = first;
  return 'bytes' in body && body.bytes.length <= chunkBytes ? 'all' : null;
}

/** Commits mails in one transaction. Calls `over` when the next one may begin. */
async function commitBatch(
  context: Context,
  mails: PreparedMail[],
  over?: () => void,
): Promise<DeliveryVerdict[]> {
  if (mails.length === 0) return [];
  const staged = await stageMails(context, mails);
  const numbers = numbersWanted(mails);
  const remember = context.accountCache.beforeCommit();
  const { verdicts } = await context.withTeamLock(
    numbers.keys(),
    (lock) => commit(context, lock, staged, numbers),
    { numbers, delivers: true, written: (lock, { accounts }) => remember(lock, accounts), over },
  );
  // Deletes uploads of refused mails. A body that came through `writeBody` is its writer's to discard.
  const refused = staged.filter(
    ({ body, orphan }, index) => orphan && 'bytes' in body && 'reason' in (verdicts[index] ?? { ids: [] }),
  );
  await context.orphanBodies.collect(refused.map(({ mailId }) => mailId));
  return verdicts;
}

/** Result of a batch, and the state of its accounts afterwards. */
type Committed = { verdicts: DeliveryVerdict[]; accounts: Map<Id, CachedAccount> };

/** Writes a batch in one transaction. Bodies that were uploaded before become messages by their rows. */
async function commit(
  context: Context,
  lock: TeamLock,
  staged: StagedMail[],
  numbers: Map<Id, number>,
): Promise<Committed> {
  const { session } = lock;
  const { accounts, cached, tokens } = await readForDelivery(context, lock, staged);
  const plan = planDelivery(staged, { accounts, newest: lock.newest }, new Date());
  const { verdicts, messages } = plan;
  if (messages.length > 0) {
    await writeMails(context, lock, [...new Set(messages.map(({ mail }) => mail))]);
    const conversations = await joinThreads(context, session, messages.map(memberOf), tokens);
    const rows = messages.map((message) => newRow(message, conversations.get(message.id) ?? null));
    for (const some of portionsOf(rows, () => 0)) {
      await context.collections.messages.insertMany(some, { session });
    }
    await insertPieces(context, lock, messages);
    const charges = [...plan.charges].map(([id, { bytes, needs }]) => {
      const { storageLimit } = accounts.get(id) ?? {};
      return { id, bytes, ...(cached && storageLimit !== undefined ? { atMost: storageLimit - needs } : {}) };
    });
    if (!(await changeCounts(context, session, plan.counts, charges))) {
      for (const owner of lock.newest.keys()) context.accountCache.forget(owner);
      throw new StaleRead();
    }
    await insertEvents(
      context,
      lock,
      verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.commits : [])),
    );
  }
  await returnNumbers(context, lock, numbers, plan.newest);
  const after = accountsAfter(accounts, plan);
  await markThreaded(context, lock, accounts, after);
  return { verdicts, accounts: after };
}

/** Writes the bodies and contents of mails. Throws StoreUnavailable where an uploaded body was swept meanwhile. */
async function writeMails(context: Context, { session }: TeamLock, mails: StagedMail[]): Promise<void> {
  const orphans = mails.filter(({ orphan }) => orphan).map(({ mailId }) => mailId);
  if (orphans.length > 0 && !(await context.orphanBodies.claim(session, orphans))) {
    throw new StoreUnavailable('A body of this batch is gone');
  }
  await insertBodies(context, session, mails);
}

/** Marks accounts whose first token rows were written, for the caches of all processes. */
async function markThreaded(
  { collections: { accounts, teamVersions } }: Context,
  lock: TeamLock,
  before: Map<Id, CachedAccount>,
  after: Map<Id, CachedAccount>,
): Promise<void> {
  const first = [...after.values()].filter(({ id, threaded }) => threaded && !before.get(id)?.threaded);
  if (first.length === 0) return;
  const { session } = lock;
  const ids = first.map(({ id }) => id);
  await accounts.updateMany({ _id: { $in: ids } }, { $set: { threaded: true } }, { session });
  const owners = new Set(first.map(({ owner }) => owner));
  await countChange(teamVersions, session, lock, [...owners]);
}

function accountsAfter(
  accounts: Map<Id, CachedAccount>,
  { charges, messages, newest }: DeliveryPlan<StagedMail>,
): Map<Id, CachedAccount> {
  const referring = messages.filter(({ mail }) => mail.tokens.references.length > 0);
  const threaded = new Set(referring.map(({ target }) => target.accountId));
  const after = new Map(accounts);
  for (const [id, added] of charges) {
    const account = accounts.get(id);
    if (account === undefined) continue;
    after.set(id, {
      ...account,
      usedBytes: account.usedBytes + added.bytes,
      messages: account.messages + added.messages,
      countedAt: newest.get(account.owner) ?? account.countedAt,
      threaded: account.threaded || threaded.has(id),
    });
  }
  return after;
}

function memberOf({ id, number, mail, target }: NewMessage<StagedMail>): ThreadMember {
  return { id, number, accountId: target.accountId, tokens: mail.tokens, conversationId: null };
}

/** Writes the search texts that are too long for their rows. */
async function insertPieces(
  { collections: { searchPieces } }: Context,
  { session }: TeamLock,
  messages: NewMessage<StagedMail>[],
): Promise<void> {
  for (const { id: messageId, mail, target } of messages) {
    if (fitsRow(mail.search, target)) continue;
    const { subject, sender, recipients, text } = mail.search;
    const pieces = piecesOf([subject, sender, recipients, plainText(text)].join('\n'));
    const { owner, accountId } = target;
    await searchPieces.insertMany(
      pieces.map((text) => ({ messageId, owner, accountId, text })),
      { session },
    );
  }
}
