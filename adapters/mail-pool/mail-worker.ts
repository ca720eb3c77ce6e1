import { workerData } from 'node:worker_threads';
import { CheckBudget } from '#adapters/mail-auth/budget.ts';
import { createAuthenticator } from '#adapters/mail-auth/mail-auth.ts';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import { moving, serve } from '#adapters/threads/serve.ts';
import { audit } from '#core/audit/audit.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { MessageContent } from '#core/messages/content.ts';
import { type Arrival, partyOf } from '#core/messages/examine.ts';
import { longTexts, mailRecord } from '#core/messages/mail-record.ts';
import { FairQueue } from '#gate/fair-queue.ts';
import { fallbackContent, uncheckedFacts } from './fallback.ts';
import type { Examined, MailJob, WorkerSettings } from './messages.ts';
import { pullPieces } from './pieces.ts';

type Source = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Time in ms during which emails are started in one turn of the event loop, before newly arrived messages are read. A turn's emails are
 * answered together: in longer turns, the writer waits for the reader, and clients wait for both.
 */
const turnMs = 1;

// Most emails cause a DNS error, which is not a fault. Nobody reads the error's stack, which would cost a tenth of an email.
Error.stackTraceLimit = 0;

const { dnsServers, maxMessageBytes }: WorkerSettings = workerData;
const authenticator = createAuthenticator({ dnsServers });
const waiting = new FairQueue<() => void>();

/** Returns null if the checks cost too much for a shared thread. */
async function examine([first, second]: [Source, Source], job: MailJob): Promise<Examined | null> {
  const { arrival, mode, loss } = job;
  const budget = new CheckBudget(mode === 'together' ? limits.mail.sharedCheckMs : limits.mail.signatureMs);
  const [parsed, checked] = await Promise.all([
    parseMail(first, arrival),
    mode === 'unchecked' ? uncheckedFacts(arrival, loss) : checkMail(second, arrival, budget),
  ]);
  if (mode === 'together' && budget.exhausted) return null;
  if (budget.exhausted) budget.reached.add('mail.signatureMs');
  const limitsReached = [...budget.reached];
  const { assumedClientIp } = arrival;
  const facts = { ...parsed.facts, maxBytes: maxMessageBytes, limitsReached, assumedClientIp };
  const checks = audit({ ...facts, ...checked });
  const { authentication } = checked;
  return examined({ ...parsed.content, authentication, audit: checks }, parsed.reached, budget.reached);
}

function checkMail(source: Source, arrival: Arrival, budget: CheckBudget) {
  return authenticator
    .authenticate(source, arrival, budget)
    .catch((error) => uncheckedFacts(arrival, { reason: `the checks failed: ${error}`, limit: null }));
}

/** Creates a content's record, with the limits that the email reached. Most emails reach none, so their answers contain no list. */
function examined(content: MessageContent, ...reached: Set<LimitName>[]): Examined {
  const record = mailRecord(content);
  return reached.some(({ size }) => size > 0)
    ? { record, reached: reached.flatMap((names) => [...names]) }
    : { record };
}

function beginWaiting(): void {
  const until = performance.now() + turnMs;
  while (waiting.size > 0 && performance.now() < until) waiting.shift()?.();
  if (waiting.size > 0) setImmediate(beginWaiting);
}

/** Examines emails concurrently, starts them by party in turn, and answers each when it is done. */
serve(
  {
    async examine(job: MailJob, bytes: Uint8Array) {
      const { ports } = job;
      try {
        if (job.mode === 'header') return fallbackContent(bytes, job, maxMessageBytes);
        const sources: [Source, Source] = ports
          ? [pullPieces(ports[0]), pullPieces(ports[1])]
          : [bytes, bytes];
        const mail = await examine(sources, job);
        if (mail === null) return null;
        const buffers = longTexts(mail.record).map(({ buffer }) => buffer);
        return moving(mail, buffers);
      } finally {
        // If these ports stayed open unread, the main thread's port would also stay open.
        for (const port of ports ?? []) port.close();
      }
    },
  },
  {
    batched: true,
    begin(run, job: MailJob) {
      waiting.push(partyOf(job.arrival), run);
      // The message's other emails are queued before any of them starts.
      if (waiting.size === 1) queueMicrotask(beginWaiting);
    },
  },
);
