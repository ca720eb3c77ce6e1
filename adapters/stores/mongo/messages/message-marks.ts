import type { MessageSummary } from '#core/messages/message.ts';
import type { FlagFilter, MessageFilter } from '#core/messages/message-filter.ts';

type Flagged = Pick<MessageSummary, 'isRead' | 'isFlagged' | 'hasAttachments'>;

/** Bits of a row's `marks`. They are one number, so that one index serves each combination of flags. */
const bits: Record<FlagFilter, { bit: number; of: (message: Flagged) => boolean }> = {
  unread: { bit: 1, of: ({ isRead }) => !isRead },
  flagged: { bit: 2, of: ({ isFlagged }) => isFlagged },
  hasAttachments: { bit: 4, of: ({ hasAttachments }) => hasAttachments },
};
const flags = Object.entries(bits) as [FlagFilter, (typeof bits)[FlagFilter]][];

export function marksOf(message: Flagged): number {
  return flags.reduce((marks, [, { bit, of }]) => marks + (of(message) ? bit : 0), 0);
}

/** Returns the values of `marks` that pass a filter. Null if the filter names no flag. */
export function marksFor(filter: MessageFilter): number[] | null {
  const named = flags.filter(([name]) => filter[name] !== undefined);
  if (named.length === 0) return null;
  const passes = (marks: number) => named.every(([name, { bit }]) => ((marks & bit) !== 0) === filter[name]);
  return Array.from({ length: 2 ** flags.length }, (_, marks) => marks).filter(passes);
}
