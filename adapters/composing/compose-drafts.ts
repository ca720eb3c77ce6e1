import { moving } from '#adapters/threads/serve.ts';
import { checkTurn } from '#adapters/threads/time-limit.ts';
import {
  type ComposeBounds,
  type Composed,
  checkDraft,
  checkRecipients,
  type Draft,
  type RawDraft,
  type RefusedDraft,
  recipientsOf,
} from '#core/delivery/compose.ts';
import { Invalid, invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { composeMail } from './mail-composer.ts';
import { rawMail } from './raw-mail.ts';

/** Reads the messages that a request contains. Throws Malformed and Invalid. */
export type DraftReader<Given> = (bytes: Uint8Array<ArrayBuffer>, given: Given) => Drafts | Promise<Drafts>;
type Drafts = Iterable<Draft | RawDraft | RefusedDraft>;

/**
 * Returns a function that reads a request with `read` and composes its messages. The function may be interrupted between two messages.
 */
export function draftComposer<Given>(read: DraftReader<Given>) {
  return async (bytes: Uint8Array<ArrayBuffer>, given: Given, bounds: ComposeBounds) => {
    const composed = await compose(await read(bytes, given), bounds);
    const buffers = composed.flatMap((made) =>
      'message' in made ? [made.message.buffer as ArrayBuffer] : [],
    );
    return moving(composed, buffers);
  };
}

async function compose(drafts: Drafts, bounds: ComposeBounds): Promise<(Composed | RefusedDraft)[]> {
  const composed: (Composed | RefusedDraft)[] = [];
  let length = 0;
  let recipients = 0;
  for (const draft of drafts) {
    if (composed.length > 0) checkTurn();
    if (!('violations' in draft)) recipients += recipientsOf(draft).length;
    // Addresses of each message are kept until all messages are composed.
    const most = limits.submissions.recipientsInAll;
    if (recipients > most) {
      throw invalid(
        'to',
        `all messages together may have at most ${most} addresses`,
        'submissions.recipientsInAll',
      );
    }
    const made = await composeOne(draft, bounds.messageBytes);
    if ('message' in made) length += made.message.length;
    if (length > bounds.requestBytes) {
      const message = `would make the messages larger than ${bounds.requestBytes} bytes in total`;
      throw invalid('body', message, 'submissions.composedBytes');
    }
    composed.push(made);
  }
  return composed;
}

async function composeOne(
  draft: Draft | RawDraft | RefusedDraft,
  maxBytes: number,
): Promise<Composed | RefusedDraft> {
  if ('violations' in draft) return draft;
  try {
    checkRecipients(recipientsOf(draft));
    if ('raw' in draft) return rawMail(draft, maxBytes);
    checkDraft(draft);
    return await composeMail(draft, maxBytes);
  } catch (error) {
    if (error instanceof Invalid) return { violations: error.violations, limits: error.limits };
    throw error;
  }
}
