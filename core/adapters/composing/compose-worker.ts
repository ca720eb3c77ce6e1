import { parentPort } from 'node:worker_threads';
import { type Addressees, checkDraft, type DraftReader, type Origin } from '#core/delivery/compose.ts';
import { Invalid, Malformed, type Violation } from '#core/errors.ts';
import type { LimitName } from '#core/limits.ts';
import { composeMail } from './mail-composer.ts';

export type ComposeJob = { bytes: Uint8Array; reader: string; origin: Origin; maxBytes: number };

export type ComposeOutcome =
  | { addressees: Addressees; message: Uint8Array<ArrayBuffer> }
  | { violations: Violation[]; limits: LimitName[] }
  | { malformed: string }
  | { failure: string };

/** Entry of the thread. Reads the request of each job and composes its message. */
parentPort?.on('message', async (job: ComposeJob) => {
  const outcome = await compose(job).catch(failed);
  parentPort?.postMessage(outcome, 'message' in outcome ? [outcome.message.buffer] : []);
});

async function compose({ bytes, reader, origin, maxBytes }: ComposeJob): Promise<ComposeOutcome> {
  const { readDraft }: { readDraft: DraftReader } = await import(reader);
  const draft = readDraft(bytes);
  checkDraft(draft);
  const { to, cc, bcc, replyTo } = draft;
  return { addressees: { to, cc, bcc, replyTo }, message: await composeMail(draft, origin, maxBytes) };
}

function failed(error: unknown): ComposeOutcome {
  if (error instanceof Invalid) return { violations: error.violations, limits: error.limits };
  if (error instanceof Malformed) return { malformed: error.message };
  return { failure: String(error) };
}
