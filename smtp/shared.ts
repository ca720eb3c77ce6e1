import type { limits } from '#core/limits.ts';
import type { Admission } from '#gate/slots.ts';
import type { Turns } from '#gate/smtp-turns.ts';
import type { Services } from '#setup/services.ts';
import type { Recipients } from './envelope.ts';
import type { Failures } from './failures.ts';
import type { Peers } from './peers.ts';
import type { HeldBytes, MailServices } from './reception.ts';
import type { Submitters } from './submitters.ts';
import type { ToldReplies } from './told-replies.ts';

/** Limits of an SMTP dialogue. */
export type Limits = typeof limits.smtp;

/** State and services that the connections of a listener share. */
export type Shared = {
  services: MailServices & Pick<Services, 'deliveries' | 'maxMessageBytes' | 'receivedBy' | 'clock'>;
  limits: Limits;
  admission: Admission;
  recipients: Recipients;
  submitters: Pick<Submitters, 'confirm'>;
  failures: Failures;
  told: ToldReplies;
  peers: Peers;
  held: HeldBytes;
  turns: Turns;
};
