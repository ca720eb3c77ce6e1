import type { MessagePort } from 'node:worker_threads';
import type { LimitName } from '#core/limits.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';

/**
 * Manner of an examination. `together`: beside other mails, and given up once its checks have cost too much. `apart`: in a
 * thread that no other mail waits for. `unchecked`: apart, without SPF, DKIM, DMARC and ARC. `header`: only the header
 * section is read.
 */
export type Manner = 'together' | 'apart' | 'unchecked' | 'header';

/** Settings that a worker thread receives at its start. */
export type WorkerSettings = { dnsServers: string[]; maxMessageBytes: number };

/** Reason why a thread was lost, and the limit that ended it, if one did. */
export type Loss = { reason: string; limit: LimitName | null };

/**
 * Mail to examine. Its bytes come with it, or through two ports, once each. `loss` is the reason why it is not examined in a
 * better manner.
 */
export type MailJob = {
  ports?: [MessagePort, MessagePort];
  arrival: Arrival;
  manner: Manner;
  loss: Loss;
  sizeBytes: number;
};

/** Record of a mail, and the limits that the mail reached, if any. */
export type Examined = { record: MailRecord; reached?: LimitName[] };

/** Answer to a request through a port: a piece of the mail, null at its end, or the error. */
export type PieceAnswer = { piece: Uint8Array | null } | { error: string };
