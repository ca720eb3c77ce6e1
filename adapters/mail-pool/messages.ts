import type { MessagePort } from 'node:worker_threads';
import type { LimitName } from '#core/limits.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';

/**
 * Mode of an examination. `together`: with other emails, and abandoned if its checks cost too much. `apart`: in a thread that
 * no other email waits for. `unchecked`: apart, without SPF, DKIM, DMARC and ARC. `header`: only the header section is read.
 */
export type ExaminationMode = 'together' | 'apart' | 'unchecked' | 'header';

/** Settings that a worker thread receives at its start. */
export type WorkerSettings = { dnsServers: string[]; maxMessageBytes: number };

/** Reason why a thread was lost, and the limit that ended it, if any. */
export type Loss = { reason: string; limit: LimitName | null };

/**
 * Email to examine. Its bytes come in the message, or through two ports that each pass them once. `loss` is the reason why the email is
 * not examined in a more thorough mode.
 */
export type MailJob = {
  ports?: [MessagePort, MessagePort];
  arrival: Arrival;
  mode: ExaminationMode;
  loss: Loss;
  sizeBytes: number;
};

/** Record of an email, and the limits that the email reached, if any. */
export type Examined = { record: MailRecord; reached?: LimitName[] };

/** Answer to a request through a port: a piece of the email, null at its end, or the error. */
export type PieceAnswer = { piece: Uint8Array | null } | { error: string };
