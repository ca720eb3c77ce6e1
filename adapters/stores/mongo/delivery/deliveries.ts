import type { Examinations } from '#adapters/stores/examinations.ts';
import { type BatchStore, type Grouping, portionsOf } from '#adapters/stores/group-commit.ts';
import { chunkBytes, encodeContent, insertBodies } from '#adapters/stores/mongo/bodies/bodies.ts';
import { createBodyWriter } from '#adapters/stores/mongo/bodies/orphan-bodies.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { changeCounts, countRuled } from '#adapters/stores/mongo/counters.ts';
import { insertEvents, returnNumbers } from '#adapters/stores/mongo/journal.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { fitsRow, newRow } from '#adapters/stores/mongo/messages/message-rows.ts';
import { piecesOf } from '#adapters/stores/mongo/messages/message-search.ts';
import { toMailboxRow } from '#adapters/stores/mongo/rows/custom-queries.ts';
import type { ContentNote } from '#adapters/stores/mongo/schema/rows.ts';
import { joinThreads } from '#adapters/stores/mongo/threads/conversations.ts';
import type { Payers } from '#core/access/payers.ts';
import type { DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import {
  type AccountState,
  type NewMessage,
  numbersWanted,
  planDelivery,
  ruledPath,
} from '#core/delivery/plan-delivery.ts';
import type { NewMailbox } from '#core/delivery/plan-rules.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { plainText } from '#core/messages/mail-record.ts';
import type { ThreadMember } from '#core/messages/threads.ts';
import { createRecipientLookup, readForDelivery } from './delivery-accounts.ts';

export function createDeliveries(context: Context): BatchStore {
  return {
    lookUp: createRecipientLookup(context),
    writeBody: () => createBodyWriter(context),
    commitBatch: (mails, over) => commitBatch(context, mails, over),
  };
}

/** Maximum time in ms that a batch waits for emails that are being examined (decision 50). */
const waitMs = 10;

/** Chooses a batch's emails: briefly waits for emails that are being examined. */
export function groupingBy(examining: Examinations, payers: Payers): Grouping {
  return {
    payers,
    batchKey: keyOf,
    ready: () => examining.ended(waitMs),
    // A batch's commands cost about the same however few emails the batch has, and each batch invalidates its teams' cached lists. The
    // pace is longer than a single email's transaction, so other clients' mail accumulates.
    paceMs: 20,
  };
}

/**
 * Sequential transactions result in the largest batches. A body that must be uploaded first would delay other emails, as would the emails
 * of one request, whose team waits for its earlier emails.
 */
function keyOf([first, ...others]: PreparedMail[]): string | null {
  if (first === undefined) return null;
  if (others.length > 0) return `request of ${first.targets[0]?.owner}`;
  const { body } = first;
  return 'bytes' in body && body.bytes.length <= chunkBytes ? 'all' : null;
}

/** Commits emails in one transaction. Calls `over` when the next transaction may start. */
async function commitBatch(
  context: Context,
  mails: PreparedMail[],
  over?: () => void,
): Promise<DeliveryVerdict[]> {
  if (mails.length === 0) return [];
  const staged = await stageMails(context, mails);
  const numbers = numbersWanted(mails);
  const verdicts = await context.withTeamLock(
    numbers.keys(),
    (lock) => commit(context, lock, staged, numbers),
    { numbers, delivers: true, over },
  );
  // Deletes the uploads of refused emails. If a body came through `writeBody`, its writer discards it.
  const refused = staged.filter(
    ({ body, orphan }, index) => orphan && 'bytes' in body && !isStored(verdicts[index]),
  );
  await context.orphanBodies.collect(refused.map(({ mailId }) => mailId));
  return verdicts;
}

function isStored(verdict: DeliveryVerdict | undefined): boolean {
  return verdict !== undefined && 'ids' in verdict && verdict.ids.length > 0;
}

/** Writes a batch in one transaction. For bodies that are already uploaded, writes only the rows that make them messages. */
async function commit(
  context: Context,
  lock: TeamLock,
  staged: StagedMail[],
  numbers: Map<Id, number>,
): Promise<DeliveryVerdict[]> {
  const { session } = lock;
  const { accounts, threaded, tokens } = await readForDelivery(context, lock, staged);
  const newMailboxes = await takeMailboxIds(context, staged, accounts);
  const state = { accounts, newest: lock.newest, rules: lock.rules, newMailboxes };
  const plan = planDelivery(staged, state, new Date());
  const { verdicts, messages } = plan;
  await countRuled(context.collections, session, plan.ruleCounts);
  if (messages.length > 0) {
    await makeMailboxes(context, lock, plan.mailboxes);
    await writeMails(context, lock, [...new Set(messages.map(({ mail }) => mail))]);
    const conversations = await joinThreads(context, session, messages.map(memberOf), tokens);
    const rows = messages.map((message) => newRow(message, conversations.get(message.id) ?? null));
    for (const some of portionsOf(rows, () => 0)) {
      await context.collections.messages.insertMany(some, { session });
    }
    await insertPieces(context, lock, messages);
    const charges = [...plan.charges].map(([id, { bytes }]) => ({ id, bytes }));
    await changeCounts(context.collections, session, plan.counts, charges);
    await markThreaded(context, lock, messages, threaded);
    await insertEvents(
      context,
      lock,
      verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.commits : [])),
    );
  }
  await returnNumbers(context, lock, numbers, plan.newest);
  return verdicts;
}

async function takeMailboxIds(
  { ids }: Context,
  mails: StagedMail[],
  accounts: Map<Id, AccountState>,
): Promise<Id[]> {
  const missing = new Set<string>();
  for (const target of mails.flatMap(({ targets }) => targets)) {
    const key = pathKey(ruledPath(target) ?? 'INBOX');
    const known = accounts.get(target.accountId)?.mailboxes ?? [];
    if (known.every((place) => place.pathKey !== key)) missing.add(`${target.accountId} ${key}`);
  }
  return missing.size === 0 ? [] : ids.take('mailboxes', missing.size);
}

/** Creates mailboxes. Counts this as a change of their teams, for the caches of accounts and mailboxes. */
async function makeMailboxes(
  { collections: { mailboxes, teamVersions } }: Context,
  { session }: TeamLock,
  made: NewMailbox[],
): Promise<void> {
  if (made.length === 0) return;
  const owners = [...new Set(made.map(({ owner }) => owner))];
  await mailboxes.insertMany(
    made.map(({ mailbox, owner }) => toMailboxRow(mailbox, owner)),
    { session },
  );
  await teamVersions.updateMany({ _id: { $in: owners } }, { $inc: { changes: 1 } }, { session });
}

/** Writes emails' bodies and contents. Throws StoreUnavailable if an uploaded body was swept in the meantime. */
async function writeMails(context: Context, { session }: TeamLock, mails: StagedMail[]): Promise<void> {
  const orphans = mails.filter(({ orphan }) => orphan).map(({ mailId }) => mailId);
  if (orphans.length > 0 && !(await context.orphanBodies.claim(session, orphans))) {
    throw new StoreUnavailable('A body in this batch no longer exists');
  }
  await insertBodies(context.bodies, session, mails);
}

/**
 * Marks accounts whose first token rows were written. Counts this as a change of their teams, for processes of version 0.2, which cache
 * accounts.
 */
async function markThreaded(
  { collections: { accounts, teamVersions } }: Context,
  { session }: TeamLock,
  messages: NewMessage<StagedMail>[],
  threaded: Set<Id>,
): Promise<void> {
  const referring = messages.filter(
    ({ mail, target }) => mail.tokens.references.length > 0 && !threaded.has(target.accountId),
  );
  if (referring.length === 0) return;
  const ids = [...new Set(referring.map(({ target }) => target.accountId))];
  const owners = [...new Set(referring.map(({ target }) => target.owner))];
  await accounts.updateMany({ _id: { $in: ids } }, { $set: { threaded: true } }, { session });
  await teamVersions.updateMany({ _id: { $in: owners } }, { $inc: { changes: 1 } }, { session });
}

function memberOf({ id, number, mail, target }: NewMessage<StagedMail>): ThreadMember {
  return { id, number, accountId: target.accountId, tokens: mail.tokens, conversationId: null };
}

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

/**
 * Prepared email with its ids, whose large parts are already in the store. `orphan`: the body has a row in `orphanBodies`, which the
 * commit claims. `small`: bytes that the commit writes. `large`: content that is too long for a row.
 */
export type StagedMail = PreparedMail & {
  mailId: Id;
  ids: Id[];
  note: ContentNote;
  large: Uint8Array | null;
  orphan: boolean;
  small: Uint8Array | null;
};

/** Assigns ids to emails and their messages, and writes large bodies and contents, which do not fit in a transaction. */
async function stageMails(context: Context, mails: PreparedMail[]): Promise<StagedMail[]> {
  const wanted = mails.reduce((count, { targets }) => count + targets.length, 0);
  const ids = await context.ids.take('messages', wanted);
  const staged = mails.map((mail): StagedMail => {
    const own = ids.splice(0, mail.targets.length);
    const { body } = mail;
    const { note, large } = encodeContent(mail);
    const small = 'bytes' in body && body.bytes.length <= chunkBytes ? body.bytes : null;
    // An email's id is the id of its first message, or that of its body if the body is already written.
    const mailId = 'bytes' in body ? (own[0] ?? 0) : body.bodyId;
    const orphan = large !== null || small === null;
    return { ...mail, mailId, ids: own, note, large, orphan, small };
  });
  for (const mail of staged) await upload(context, mail);
  return staged;
}

async function upload(context: Context, { body, mailId, large, orphan, small }: StagedMail): Promise<void> {
  if (orphan && 'bytes' in body) await context.orphanBodies.begin(mailId);
  if ('bytes' in body && small === null) {
    const file = context.bodies.upload(mailId);
    await file.write(body.bytes);
    await file.finish();
  }
  if (large !== null) {
    const file = context.largeContents.upload(mailId);
    await file.write(large);
    await file.finish();
  }
}
