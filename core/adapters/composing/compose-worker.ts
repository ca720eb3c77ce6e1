import { parentPort } from 'node:worker_threads';
import {
  type ComposeBounds,
  type Composed,
  checkDraft,
  checkRecipients,
  type Draft,
  type DraftReader,
  type RawDraft,
  type RefusedDraft,
  recipientsOf,
} from '#core/delivery/compose.ts';
import { Invalid, invalid, Malformed, type Violation } from '#core/errors.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { composeMail } from './mail-composer.ts';
import { rawMail } from './raw-mail.ts';

export type ComposeJob = { bytes: Uint8Array; reader: string; given: unknown; bounds: ComposeBounds };

export type ComposeOutcome =
  | { composed: (Composed | RefusedDraft)[] }
  | { violations: Violation[]; limits: LimitName[] }
  | { malformed: string }
  | { failure: string };

/** Entry of the thread. Reads the request of each job and composes its messages. */
parentPort?.on('message', async (job: ComposeJob) => {
  const outcome = await compose(job).catch(failed);
  const messages = 'composed' in outcome ? outcome.composed : [];
  const buffers = messages.flatMap((made) => ('message' in made ? [made.message.buffer as ArrayBuffer] : []));
  parentPort?.postMessage(outcome, buffers);
});

async function compose({ bytes, reader, given, bounds }: ComposeJob): Promise<ComposeOutcome> {
  const { readDrafts }: { readDrafts: DraftReader<unknown> } = await import(reader);
  const composed: (Composed | RefusedDraft)[] = [];
  let length = 0;
  let recipients = 0;
  for (const draft of await readDrafts(bytes, given)) {
    if (!('violations' in draft)) recipients += recipientsOf(draft).length;
    // The addresses of each message are kept until all of them are composed.
    const most = limits.submissions.recipientsInAll;
    if (recipients > most) {
      throw invalid('to', `at most ${most} addresses in all mails`, 'submissions.recipientsInAll');
    }
    const made = await composeOne(draft, bounds.messageBytes);
    if ('message' in made) length += made.message.length;
    if (length > bounds.requestBytes) {
      const message = `makes messages of over ${bounds.requestBytes} bytes together`;
      throw invalid('body', message, 'submissions.composedBytes');
    }
    composed.push(made);
  }
  return { composed };
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

function failed(error: unknown): ComposeOutcome {
  if (error instanceof Invalid) return { violations: error.violations, limits: error.limits };
  if (error instanceof Malformed) return { malformed: error.message };
  return { failure: String(error) };
}
