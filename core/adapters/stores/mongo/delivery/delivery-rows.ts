import { newRow } from '#core/adapters/stores/mongo/messages/message-rows.ts';
import type { MessageRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { firstCharacters } from '#core/messages/bounds.ts';
import type { Judgement } from './judge-deliveries.ts';

/** A mail with the ids that it and its messages get if it is taken. */
export type MailWithIds = { mail: PreparedMail; mailId: Id; ids: Id[] };

/** What a batch becomes: a verdict a mail, the rows of those that are taken, and of each owner the newest number. */
export type BatchRows = { verdicts: DeliveryVerdict[]; rows: MessageRow[]; heads: Map<Id, number> };

/** How many numbers of their owners the mails take if all are taken: a copy in Sent shares another's. */
export function numbersWanted(mails: Pick<PreparedMail, 'targets'>[]): Map<Id, number> {
  const wanted = new Map<Id, number>();
  for (const { owner, mailbox } of mails.flatMap(({ targets }) => targets)) {
    wanted.set(owner, (wanted.get(owner) ?? 0) + (mailbox === 'Sent' ? 0 : 1));
  }
  return wanted;
}

/** Numbers events in the order of the batch, from the owners' newest on, and makes the rows. */
export function batchRows(
  batch: MailWithIds[],
  judgements: Judgement[],
  heads: Map<Id, number>,
  at: Date,
): BatchRows {
  const newest = new Map(heads);
  const rows: MessageRow[] = [];
  const verdicts = batch.map(({ mail, mailId, ids }, index): DeliveryVerdict => {
    const judgement = judgements[index];
    if (judgement === undefined) throw new Error('a mail without judgement');
    if ('reason' in judgement) return judgement;
    const shared = { mailId, siblings: ids.length > 1 ? ids : null };
    const commits = new Map<Id, Committed<Id[]>>();
    let firstReceived: number | null = null;
    for (const [index, place] of judgement.places.entries()) {
      const target = mail.targets[index];
      const messageId = ids[index];
      if (target === undefined || messageId === undefined) throw new Error('a place without target or id');
      const { owner, accountId } = target;
      const commit = commits.get(owner) ?? { owner, result: [], events: [] };
      commits.set(owner, commit);
      commit.result.push(messageId);
      const head: number = newest.get(owner) ?? 0;
      // One out of an archive takes a number that no event stands under: its place in the order.
      const number: number = target.mailbox === 'Sent' ? (firstReceived ?? head) : head + 1;
      newest.set(owner, Math.max(head, number));
      rows.push(newRow(mail, target, place, { _id: messageId, number, ...shared }));
      if (target.mailbox !== 'INBOX') continue;
      firstReceived ??= number;
      const subject = firstCharacters(mail.content.subject, limits.answers.subjectCharacters);
      const where = { messageId, messageNumber: number, accountId, mailboxId: place.id };
      const event: MailEvent = { number, type: 'message.received', ...where, at, subject };
      commit.events.push(event);
    }
    return { ids, commits: [...commits.values()].sort((a, b) => a.owner - b.owner) };
  });
  return { verdicts, rows, heads: newest };
}
