import type { Load } from '#core/accounts/room.ts';
import { bytesInQuota } from '#core/accounts/room.ts';
import { envelopeText, foldText } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import { boundSummary } from '#core/messages/bounds.ts';
import { jsonBytes, type MailRecord, storedBytes } from '#core/messages/mail-record.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import { nearestTokens } from '#core/messages/threads.ts';
import type { DeliveryTarget, PreparedMail } from './delivery.ts';

/** Columns of a mail and its messages that do not depend on the store's state. They are made before the transaction. */
export type DeliveryRecord = Omit<
  MailRecord,
  'search' | 'fromAddress' | 'fromName' | 'toAddresses' | 'submissionBytes'
> &
  Pick<PreparedMail, 'sizeBytes' | 'receivedAt' | 'group'> & {
    search: SearchColumns;
    targets: TargetRecord[];
  };

/**
 * Columns that may differ between the messages of a mail. `ownRecipients`: see `envelopeText`. `countedBytes`: bytes of the
 * message in the quota of its account.
 */
export type TargetRecord = DeliveryTarget &
  Pick<MessageSummary, 'fromAddress' | 'fromName' | 'toAddresses'> & {
    ownRecipients: string;
    countedBytes: number;
  };

/** Folded texts that searches look in. `recipients` are those of the header. */
export type SearchColumns = MailRecord['search'] & { sender: string };

/** Completes the record of a mail by its envelope: its addresses replace missing ones of the header. */
export function deliveryRecord(mail: PreparedMail): DeliveryRecord {
  const { record, sizeBytes, receivedAt, targets, group } = mail;
  const { fromAddress, fromName, toAddresses, submissionBytes, ...shared } = record;
  const { search, tokens } = record;
  return {
    ...shared,
    sizeBytes,
    receivedAt,
    ...(group === undefined ? {} : { group }),
    tokens: nearestTokens(tokens, targets.length),
    search: { ...search, sender: search.sender ?? foldText(targets[0]?.envelope.mailFrom ?? '') },
    targets: targets.map((target) => targetRecord(record, target, sizeBytes)),
  };
}

/** Bytes and number of the messages that a mail makes in an account. */
export function loadOf({ record, sizeBytes, targets }: PreparedMail, accountId: Id): Load {
  const own = targets.filter((target) => target.accountId === accountId);
  const bytes = own.map((target) => countedBytes(record, target, sizeBytes));
  return { bytes: bytes.reduce((sum, one) => sum + one, 0), messages: own.length };
}

function countedBytes(
  { submissionBytes, json }: MailRecord,
  { envelope }: DeliveryTarget,
  sizeBytes: number,
): number {
  // The content has the submission too, which counts whole.
  return bytesInQuota(sizeBytes, jsonBytes(envelope) + submissionBytes, storedBytes(json) - submissionBytes);
}

function targetRecord(record: MailRecord, target: DeliveryTarget, sizeBytes: number): TargetRecord {
  const { fromAddress, fromName, toAddresses } = record;
  const { mailFrom, rcptTo } = target.envelope;
  const shown = boundSummary({
    msgid: null,
    subject: '',
    fromAddress: fromAddress || mailFrom,
    fromName,
    toAddresses: toAddresses.length > 0 ? toAddresses : rcptTo,
  });
  return {
    ...target,
    fromAddress: shown.fromAddress,
    fromName: shown.fromName,
    toAddresses: shown.toAddresses,
    ownRecipients: envelopeText(target),
    countedBytes: countedBytes(record, target, sizeBytes),
  };
}
