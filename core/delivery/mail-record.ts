import { envelopeText, foldText, searchLines } from '#core/extraction/search-text.ts';
import { boundSummary, wholeSummary } from '#core/messages/bounds.ts';
import type { MessageContent } from '#core/messages/content.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import { hashTokens, type ThreadTokens, threadTokens } from '#core/messages/thread.ts';
import type { DeliveryTarget, PreparedMail } from './delivery.ts';

/** Columns of a mail that do not depend on the store's state. They are made once, before the transaction. */
export type MailRecord = Pick<
  MessageSummary,
  'sizeBytes' | 'receivedAt' | 'hasAttachments' | 'msgid' | 'subject' | 'intro'
> & {
  /** Message-IDs as stored: see `hashTokens`. */
  tokens: ThreadTokens;
  search: SearchColumns;
  targets: TargetRecord[];
};

/** Columns that may differ between the messages of a mail. `ownRecipients`: see `envelopeText`. */
export type TargetRecord = DeliveryTarget &
  Pick<MessageSummary, 'fromAddress' | 'fromName' | 'toAddresses'> & { ownRecipients: string };

/** Folded texts that searches look in. `recipients` are those of the header. A long `text` is UTF-8 bytes. */
export type SearchColumns = {
  subject: string;
  sender: string;
  recipients: string;
  text: MessageContent['searchText'];
};

export function mailRecord({ content, sizeBytes, receivedAt, targets }: PreparedMail): MailRecord {
  const { msgid, subject } = boundSummary(wholeSummary(content, { mailFrom: '', rcptTo: [] }));
  return {
    sizeBytes,
    receivedAt,
    hasAttachments: content.attachments.length > 0,
    msgid,
    subject,
    intro: content.intro,
    tokens: hashTokens(threadTokens(content, targets.length)),
    search: searchColumns(content, targets[0]?.envelope.mailFrom ?? ''),
    targets: targets.map((target) => targetRecord(content, target)),
  };
}

function targetRecord(content: MessageContent, target: DeliveryTarget): TargetRecord {
  const { fromAddress, fromName, toAddresses } = boundSummary(wholeSummary(content, target.envelope));
  return { ...target, fromAddress, fromName, toAddresses, ownRecipients: envelopeText(target) };
}

/** Splits the search text into columns. The sender of the envelope replaces a missing one of the header. */
function searchColumns({ searchText, from }: MessageContent, mailFrom: string): SearchColumns {
  const { lines, text } = searchLines(searchText);
  const [subject = '', ...people] = lines;
  const sender = from === null ? foldText(mailFrom) : (people.shift() ?? '');
  return { subject, sender, recipients: people.join('\n'), text };
}
