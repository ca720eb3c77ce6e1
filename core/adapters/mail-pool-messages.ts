import type { MessagePort } from 'node:worker_threads';
import type { MessageContent } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { LongTexts } from './mail-pool-texts.ts';

/** What a worker is started with. */
export type WorkerSettings = { dnsServers: string[]; maxMessageBytes: number };

/** A mail to examine: its bytes stand in [start, end) of the batch's `bytes`, or come through two ports, once each. */
export type MailJob = { id: number; arrival: Arrival } & (
  | { start: number; end: number }
  | { ports: [MessagePort, MessagePort] }
);

/** To a worker: what came up since the last batch, in one message, for a message costs more than a small mail. */
export type JobBatch = { bytes: Uint8Array; jobs: MailJob[] };

/** From a worker: what became of mails. Only a source that cannot be read makes an `error`. */
export type Outcome = { id: number } & ({ content: MessageContent; texts: LongTexts } | { error: string });

/** Through a port, asked for one by one: a piece of the mail, null at its end, or why there is none. */
export type PieceAnswer = { piece: Uint8Array | null } | { error: string };
