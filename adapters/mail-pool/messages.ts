import type { MessagePort } from 'node:worker_threads';
import type { LimitName } from '#core/limits.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';

/**
 * Manner of an examination. `together`: beside other mails, and returned once its checks have cost too much. `apart`: in a
 * thread that no other mail waits for. `unchecked`: apart, without SPF, DKIM, DMARC and ARC. `header`: only the header
 * section is read.
 */
export type Manner = 'together' | 'apart' | 'unchecked' | 'header';

/** Settings that a worker thread receives at its start. */
export type WorkerSettings = { dnsServers: string[]; maxMessageBytes: number };

/** Data of a worker thread. `current` is the id of the mail that is being worked on, 0 where it is not known. */
export type WorkerData = WorkerSettings & { current: Int32Array };

/** Reason why a thread was lost, and the limit that ended it, if one did. */
export type Loss = { reason: string; limit: LimitName | null };

/**
 * Mail to examine. Its bytes are [start, end) of the batch's `bytes`, or come through two ports, once each. `loss` is the
 * reason why it is not examined in a better manner.
 */
export type MailJob = { id: number; arrival: Arrival; manner: Manner; loss: Loss; sizeBytes: number } & (
  | { start: number; end: number }
  | { ports: [MessagePort, MessagePort] }
);

/** Message to a worker: the mails since the last batch. They share a message, which costs more than a small mail. */
export type JobBatch = { bytes: Uint8Array; jobs: MailJob[] };

/** Record of a mail, and the limits that the mail reached, if any. */
export type Examined = { record: MailRecord; reached?: LimitName[] };

/** Outcome of a mail in a worker. `error`: its source could not be read. `costly`: it has to be examined apart. */
export type Outcome = { id: number } & (Examined | { error: string } | { costly: true });

/** Answer to a request through a port: a piece of the mail, null at its end, or the error. */
export type PieceAnswer = { piece: Uint8Array | null } | { error: string };
