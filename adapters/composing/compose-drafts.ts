import { moving, serve } from '#adapters/threads/serve.ts';
import {
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

/** Reads the messages that a request asks for. Throws Malformed and Invalid. */
type DraftReader<Given> = (bytes: Uint8Array<ArrayBuffer>, given: Given) => Drafts | Promise<Drafts>;
type Drafts = Iterable<Draft | RawDraft | RefusedDraft>;

/** Bounds in bytes of a message, and of all messages of a request. */
export type ComposeBounds = { messageBytes: number; requestBytes: number };

/**
 * Request whose messages are composed. `given`: further arguments of the reader, structured-cloneable. `turnMs`: processor time
 * after which no further message is composed.
 */
export type ComposeJob<Given> = {
  bytes: Uint8Array<ArrayBuffer>;
  given: Given;
  bounds: ComposeBounds;
  turnMs?: number;
};

/**
 * Messages of a job, null where it took longer than its turn, and the processor time that it took. `bytes`: those of the job, moved
 * back.
 */
export type ComposeAnswer = {
  usedMs: number;
  composed: (Composed | RefusedDraft)[] | null;
  bytes: Uint8Array<ArrayBuffer>;
};

/**
 * Serves the jobs of this thread: reads the request of each by `read` and composes its messages. For the entry of the thread,
 * which names the reader.
 */
export function serveComposing<Given>(read: DraftReader<Given>): void {
  serve({
    async compose(job: ComposeJob<Given>) {
      const begun = process.threadCpuUsage();
      const composed = await compose(job, read, begun);
      const { bytes } = job;
      const buffers = (composed ?? []).flatMap((made) =>
        'message' in made ? [made.message.buffer as ArrayBuffer] : [],
      );
      const answer: ComposeAnswer = { usedMs: msSince(begun), composed, bytes };
      return moving(answer, [...buffers, bytes.buffer]);
    },
  });
}

function msSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}

async function compose<Given>(
  { bytes, given, bounds, turnMs = Number.POSITIVE_INFINITY }: ComposeJob<Given>,
  read: DraftReader<Given>,
  begun: NodeJS.CpuUsage,
): Promise<ComposeAnswer['composed']> {
  const composed: (Composed | RefusedDraft)[] = [];
  let length = 0;
  let recipients = 0;
  for (const draft of await read(bytes, given)) {
    if (composed.length > 0 && msSince(begun) > turnMs) return null;
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
