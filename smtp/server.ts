import { isIPv6 } from 'node:net';
import { limits as defaultLimits } from '#gate/limits.ts';
import { createAdmission } from '#gate/slots.ts';
import { Turns } from '#gate/smtp-turns.ts';
import type { Services } from '#setup/services.ts';
import { openCertificate } from './certificate.ts';
import { Connection, type Limits, type Shared } from './connection.ts';
import { Listener } from './listener.ts';
import type { MailServices } from './reception.ts';
import { createRecipients, type RecipientServices } from './recipients.ts';
import type { Reply } from './replies.ts';
import type { SMTPServerOptions } from './smtp-server-adapter.ts';
import { createSubmitters, type SubmitterServices } from './submitters.ts';

export type SmtpServices = MailServices &
  RecipientServices &
  SubmitterServices &
  Pick<Services, 'config' | 'deliveries' | 'maxMessageBytes' | 'receivedBy' | 'clock'>;

/** SMTP listener that receives mail. */
export type Smtp = {
  /** Listens and returns the port, which the system chooses if the setting is 0. Throws an error that names the setting. */
  listen(): Promise<number>;
  /** Accepts no further connection, finishes mail that is in DATA, and ends all other dialogues with 421. */
  close(): Promise<void>;
};

/**
 * Creates a listener (RFC 5321) that stores mail for the registered accounts and never relays, and, if its port is set, one
 * with implicit TLS. They share all limits. Throws an error of one sentence for a certificate that cannot be used.
 */
export function createSmtp(
  services: SmtpServices,
  limits: Limits = { ...defaultLimits.smtp, ...services.config.smtpConnections },
): { smtp: Smtp; smtps: Smtp | null } {
  const { config, log } = services;
  const certificate = config.smtpTls && openCertificate(config.smtpTls, services.receivedBy, log);
  const recipients = createRecipients(services, limits);
  const submitters = createSubmitters(services);
  const shared: Shared = {
    services,
    limits,
    recipients,
    submitters,
    admission: createAdmission(limits.connections, limits.connectionsPerAddress),
    held: { total: 0 },
    turns: new Turns(limits.turnMs, () => services.metrics.limitReached('smtp.turnMs')),
  };
  const optionsOf = (): SMTPServerOptions => ({
    name: services.receivedBy,
    banner: 'Sandpost',
    heloResponse: '%s',
    size: services.maxMessageBytes,
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    disabledCommands: ['WIZ', 'SHELL', 'KILL'],
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: true,
    allowInsecureAuth: true,
    hideSTARTTLS: certificate === null,
    ...certificate?.current,
    disableReverseLookup: true,
    logger: false,
    maxClients: limits.connections,
    maxRecipients: limits.recipients,
    socketTimeout: limits.idleMs,
    closeTimeout: limits.drainMs,
    onConnect: (_session, done) => done(),
    // Continues at once: a client may send commands as soon as the TLS handshake is over.
    onSecure: (_tls, _session, done) => done(),
    onAuth: ({ username = '', password }, session, done) => {
      submitters.signIn({ userName: username, password: password ?? '' }, session).then((outcome) => {
        if ('code' in outcome) done(asError(outcome));
        else done(null, { user: outcome });
      });
    },
    onMailFrom: (_address, session, done) => {
      if (!session.user) done();
      else submitters.confirm(session).then((refusal) => done(refusal && asError(refusal)));
    },
    onRcptTo: async (address, session, done) => {
      const ended = session.user ? await submitters.confirm(session) : null;
      const refusal = ended ?? (await recipients.resolve(address, session));
      done(refusal && asError(refusal));
    },
  });
  const listeners: Listener<Connection>[] = [];
  const create = (implicitTls: boolean): Listener<Connection> => {
    const listener = new Listener(optionsOf(), {
      createConnection: (accepted) => new Connection(accepted, shared, implicitTls),
      // A peer ::ffff:192.0.2.1 is compared as IPv4.
      isProxy: (address) => config.smtpProxyFrom?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ?? false,
    });
    // Errors of single clients: a lost connection, a failed TLS handshake, or a wrong PROXY line.
    listener.on('error', (err) => log.debug({ err }, 'an SMTP connection broke'));
    listeners.push(listener);
    return listener;
  };
  const plain = create(false);
  const tls = config.smtpsPort === null ? null : { listener: create(true), port: config.smtpsPort };
  const paceTimer = setInterval(() => {
    for (const listener of listeners) listener.checkPace();
  }, limits.paceMs / 12).unref();
  certificate?.watch((pair) => {
    for (const listener of listeners) listener.updateSecureContext(pair);
  });
  return {
    smtp: {
      listen: () => plain.open('SANDPOST_SMTP_PORT', config.smtpHost, config.smtpPort),
      async close() {
        await plain.drain();
        clearInterval(paceTimer);
        certificate?.close();
      },
    },
    smtps: tls && {
      listen: () => tls.listener.open('SANDPOST_SMTPS_PORT', config.smtpHost, tls.port),
      close: () => tls.listener.drain(),
    },
  };
}

/** Returns a reply in the form in which smtp-server takes it. */
function asError({ code, text }: Reply): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
