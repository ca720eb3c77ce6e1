import type { Id } from '#core/ids.ts';
import type { Message, RawMessage } from '#core/messages/message.ts';

export type SpamRule = { name: string; score: number; description: string };

/**
 * Verdict of a spam filter: spam has a score of at least the threshold. If the filter did not answer, `error` is a sentence and the
 * scores are null.
 */
export type SpamVerdict = {
  score: number | null;
  threshold: number | null;
  rules: SpamRule[];
  error: string | null;
};

/** How an email arrived, as reported to the filter. */
export type SpamEnvelope = Message['envelope'] & { receivedAt: Date };

export type SpamFilter = {
  /** Asks the spam filter about an email. Users take turns. Throws TooMany. */
  judge(user: Id, raw: RawMessage, envelope: SpamEnvelope): Promise<SpamVerdict>;
};
