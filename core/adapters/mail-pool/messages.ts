import type { MessagePort } from 'node:worker_threads';
import type { LimitName } from '#core/limits.ts';
import type { MessageContent } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { LongTexts } from './texts.ts';

/**
 * How a mail is examined. `together`: beside others, and handed back once its checks have cost too much; `apart`: nobody
 * waits for it; `unchecked`: apart, without SPF, DKIM, DMARC and ARC; `header`: only the header section is read.
 */
export type Manner = 'together' | 'apart' | 'unchecked' | 'header';

/** Settings that a worker thread receives at its start. */
export type WorkerSettings = { dnsServers: string[]; maxMessageBytes: number };

/** `current` holds the id of the mail that is being worked on, 0 where it is not known. */
export type WorkerData = WorkerSettings & { current: Int32Array };

/** Why a thread was lost, and the limit that ended it, if one did. */
export type Loss = { reason: string; limit: LimitName | null };

/**
 * A mail to examine: its bytes stand in [start, end) of the batch's `bytes`, or come through two ports, once each.
 * `loss`: why it is examined in no better manner.
 */
export type MailJob = { id: number; arrival: Arrival; manner: Manner; loss: Loss; sizeBytes: number } & (
  | { start: number; end: number }
  | { ports: [MessagePort, MessagePort] }
);

/** To a worker: what came up since the last batch, in one message, for a message costs more than a small mail. */
export type JobBatch = { bytes: Uint8Array; jobs: MailJob[] };

/** The content of a mail, and the limits that the mail reached, if any. */
export type Examined = { content: MessageContent; reached?: LimitName[] };

/** From a worker: what became of mails. Only a source that cannot be read makes an `error`; `costly`: hand it apart. */
export type Outcome = { id: number } & (
  | (Examined & { texts: LongTexts })
  | { error: string }
  | { costly: true }
);

/** Through a port, asked for one by one: a piece of the mail, null at its end, or why there is none. */
export type PieceAnswer = { piece: Uint8Array | null } | { error: string };
