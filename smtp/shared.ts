import type { CapturePorts } from '#core/delivery/accept-recipient.ts';
import type { ReceivePorts } from '#core/delivery/receive-mail.ts';
import type { SignInMemory, SubmitterPorts } from '#core/delivery/submitter.ts';
import type { Id } from '#core/ids.ts';
import type { LimitName, limits } from '#core/limits.ts';
import type { Admission } from '#gate/slots.ts';
import type { Turns } from '#gate/smtp-turns.ts';
import type { Services } from '#setup/services.ts';

export type SmtpServices = ReceivePorts &
  CapturePorts &
  SubmitterPorts & { refusals: Pick<Services['refusals'], 'note'> } & Pick<
    Services,
    | 'attempts'
    | 'clock'
    | 'config'
    | 'delays'
    | 'deliveries'
    | 'failureSimulator'
    | 'overflow'
    | 'log'
    | 'mailRoom'
    | 'maxMessageBytes'
    | 'metrics'
    | 'receivedBy'
  >;

export type Limits = typeof limits.smtp;

/** State and services that a listener's connections share. */
export type Shared = {
  services: SmtpServices;
  limits: Limits;
  admission: Admission;
  signIns: SignInMemory;
  peers: {
    concern(address: string, team: Id): void;
    refused(address: string, limit: LimitName): Promise<void>;
  };
  /** Bytes of messages that are in memory in all receptions. */
  held: { total: number };
  turns: Turns;
};
