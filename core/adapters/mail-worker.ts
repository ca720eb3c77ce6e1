import { parentPort, workerData } from 'node:worker_threads';
import { audit } from '#core/messages/audit.ts';
import type { MessageContent } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { createAuthenticator } from './mail-auth.ts';
import { parseMail } from './mail-parser.ts';
import { unchecked } from './mail-pool-fallback.ts';
import type { JobBatch, MailJob, Outcome, WorkerSettings } from './mail-pool-messages.ts';
import { pullPieces } from './mail-pool-pieces.ts';
import { detachTexts } from './mail-pool-texts.ts';

type Source = Uint8Array | AsyncIterable<Uint8Array>;

/** The worker thread's entry: examines the mails of each batch side by side, answers as they are done. */
function serve(settings: WorkerSettings): void {
  const authenticator = createAuthenticator({ dnsServers: settings.dnsServers });
  let outcomes: Outcome[] = [];

  async function examine(sources: [Source, Source], arrival: Arrival): Promise<MessageContent> {
    const [parsed, { authentication, signatures }] = await Promise.all([
      parseMail(sources[0], arrival),
      authenticator.authenticate(sources[1], arrival).catch((error) => ({
        authentication: unchecked(arrival, `the checks broke off: ${error}`),
        signatures: [],
      })),
    ]);
    const checks = audit({
      ...parsed.facts,
      maxBytes: settings.maxMessageBytes,
      authentication,
      signatures,
    });
    return { ...parsed.content, authentication, audit: checks };
  }

  async function answer(job: MailJob, bytes: Uint8Array): Promise<void> {
    const sources: [Source, Source] =
      'ports' in job
        ? [pullPieces(job.ports[0]), pullPieces(job.ports[1])]
        : [bytes.subarray(job.start, job.end), bytes.subarray(job.start, job.end)];
    const outcome = await examine(sources, job.arrival).then(
      (content) => ({ id: job.id, content, texts: detachTexts(content) }),
      (error) => ({ id: job.id, error: String(error) }),
    );
    // A source that nobody read to its end still holds the main thread's end open.
    if ('ports' in job) for (const port of job.ports) port.close();
    if (outcomes.push(outcome) === 1) setImmediate(flush);
  }

  function flush(): void {
    const buffers = outcomes.flatMap((outcome) =>
      'content' in outcome ? Object.values(outcome.texts).map((text) => text.buffer) : [],
    );
    parentPort?.postMessage(outcomes, buffers);
    outcomes = [];
  }

  parentPort?.on('message', ({ bytes, jobs }: JobBatch) => {
    for (const job of jobs) void answer(job, bytes);
  });
}

serve(workerData);
