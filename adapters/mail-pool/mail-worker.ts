import { parentPort, workerData } from 'node:worker_threads';
import { CheckBudget } from '#adapters/mail-auth/budget.ts';
import { createAuthenticator } from '#adapters/mail-auth/mail-auth.ts';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import { audit } from '#core/audit/audit.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { MessageContent } from '#core/messages/content.ts';
import { type Arrival, senderOf } from '#core/messages/examine.ts';
import { longTexts, mailRecord } from '#core/messages/mail-record.ts';
import { FairQueue } from '#gate/fair-queue.ts';
import { fallbackContent, uncheckedBy } from './fallback.ts';
import type { Examined, JobBatch, MailJob, Outcome, WorkerData } from './messages.ts';
import { pullPieces } from './pieces.ts';

type Source = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Time (ms) in which mails are begun in one turn of the event loop, before messages that arrived meanwhile are read. Mails of
 * a turn are answered together: with longer turns, the writer waits for the reader, and clients wait for both.
 */
const turnMs = 1;

/**
 * Entry of the worker thread. Sends a list without outcomes when it is ready. Examines mails side by side, begins them in turn
 * by client address, and answers each when it is done.
 */
function serve({ current, ...settings }: WorkerData): void {
  const authenticator = createAuthenticator({ dnsServers: settings.dnsServers });
  const waiting = new FairQueue<() => void>();
  let outcomes: Outcome[] = [];

  /** Returns null where the checks cost too much for a shared thread. */
  async function examine([first, second]: [Source, Source], job: MailJob): Promise<Examined | null> {
    const { arrival, manner, loss } = job;
    const { maxMessageBytes } = settings;
    if (manner === 'header') return fallbackContent(first, job.sizeBytes, arrival, maxMessageBytes, loss);
    const budget = new CheckBudget(
      manner === 'together' ? limits.mail.sharedCheckMs : limits.mail.signatureMs,
    );
    const [parsed, checked] = await Promise.all([
      parseMail(first, arrival),
      manner === 'unchecked' ? uncheckedBy(arrival, loss) : checkMail(second, arrival, budget),
    ]);
    if (manner === 'together' && budget.exhausted) return null;
    if (budget.exhausted) budget.reached.add('mail.signatureMs');
    const limitsReached = [...budget.reached];
    const checks = audit({ ...parsed.facts, maxBytes: maxMessageBytes, limitsReached, ...checked });
    const { authentication } = checked;
    return examined({ ...parsed.content, authentication, audit: checks }, parsed.reached, budget.reached);
  }

  function checkMail(source: Source, arrival: Arrival, budget: CheckBudget) {
    return authenticator
      .authenticate(source, arrival, budget)
      .catch((error) => uncheckedBy(arrival, { reason: `the checks broke off: ${error}`, limit: null }));
  }

  async function answer(job: MailJob, bytes: Uint8Array): Promise<void> {
    const sources: [Source, Source] =
      'ports' in job
        ? [pullPieces(job.ports[0]), pullPieces(job.ports[1])]
        : [bytes.subarray(job.start, job.end), bytes.subarray(job.start, job.end)];
    const outcome = await examine(sources, job).then(
      (mail): Outcome => (mail === null ? { id: job.id, costly: true } : { id: job.id, ...mail }),
      (error): Outcome => ({ id: job.id, error: String(error) }),
    );
    // A port that was not read to its end would keep the main thread's port open.
    if ('ports' in job) for (const port of job.ports) port.close();
    if (outcomes.push(outcome) === 1) setImmediate(flush);
  }

  function flush(): void {
    const texts = outcomes.flatMap((outcome) => ('record' in outcome ? longTexts(outcome.record) : []));
    parentPort?.postMessage(
      outcomes,
      texts.map(({ buffer }) => buffer),
    );
    outcomes = [];
  }

  function begin(): void {
    const until = performance.now() + turnMs;
    while (waiting.size > 0 && performance.now() < until) waiting.shift()?.();
    if (waiting.size > 0) setImmediate(begin);
  }

  parentPort?.on('message', ({ bytes, jobs }: JobBatch) => {
    const idle = waiting.size === 0;
    for (const job of jobs) {
      waiting.push(senderOf(job.arrival), () => {
        Atomics.store(current, 0, job.id);
        void answer(job, bytes);
        Atomics.store(current, 0, 0);
      });
    }
    if (idle) begin();
  });
  // Tells that the modules are loaded: from now on mails may not take long.
  parentPort?.postMessage([]);
}

/** Makes the record of a content, with the limits that it reached. Most mails reach none, and their outcome has no list. */
function examined(content: MessageContent, ...reached: Set<LimitName>[]): Examined {
  const record = mailRecord(content);
  return reached.some(({ size }) => size > 0)
    ? { record, reached: reached.flatMap((names) => [...names]) }
    : { record };
}

serve(workerData);
