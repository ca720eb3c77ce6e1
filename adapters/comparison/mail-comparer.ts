import { lossOf, Thread } from '#adapters/threads/thread.ts';
import type { MailComparer, MailSource } from '#core/comparison/compare-mails.ts';
import type { Comparison } from '#core/comparison/comparison.ts';
import { Overloaded } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { turnOfStream } from '#gate/event-loop.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/**
 * Compares mails in a thread that is started on demand, one comparison at a time, users in turn. The mails of one comparison
 * are in memory, however many wait. `close` ends the thread.
 */
export function createMailComparer({
  limitReached,
}: Pick<Metrics, 'limitReached'>): MailComparer & { close(): Promise<void> } {
  const { waiting, ms: limitMs, heapBytes } = limits.comparison;
  const thread = new Thread({
    entry: new URL('./compare-worker.ts', import.meta.url),
    heap: { maxOldGenerationSizeMb: heapBytes / 1024 / 1024, maxYoungGenerationSizeMb: 16 },
    idleMs,
  });
  const inTurn = createFairLimiter({
    places: 1,
    waitingPerKey: waiting,
    onFull: () => limitReached('comparison.waiting'),
  });
  return {
    compare: (user, leftMail, rightMail, masking) =>
      inTurn(String(user), async () => {
        const left = await bytesOf(user, leftMail);
        const right = await bytesOf(user, rightMail);
        const transfer = [...new Set([left.buffer, right.buffer])];
        try {
          return await thread.call<Comparison>('compare', [left, right, masking], { transfer, limitMs });
        } catch (error) {
          const { kind, cause } = lossOf(error);
          if (kind === 'late') limitReached('comparison.ms');
          if (kind === 'memory') limitReached('comparison.heapBytes');
          throw new Overloaded('The mails took too much time or memory to compare', { cause });
        }
      }),
    close: () => thread.stop(),
  };
}

/** Reads a mail, each piece in a turn of the event loop of its own. */
async function bytesOf(user: Id, mail: MailSource): Promise<Uint8Array<ArrayBuffer>> {
  if (mail instanceof Uint8Array) return mail;
  const bytes = new Uint8Array(mail.sizeBytes);
  let at = 0;
  for await (const piece of mail.open()) {
    bytes.set(piece, at);
    at += piece.length;
    await turnOfStream(user);
  }
  return bytes;
}
