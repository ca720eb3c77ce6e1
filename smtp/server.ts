import { isIPv6, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { limits as defaultLimits } from '#core/limits.ts';
import { FailedSignIns, KnownPasswords } from '#gate/failed-sign-ins.ts';
import { createAdmission } from '#gate/slots.ts';
import { Turns } from '#gate/smtp-turns.ts';
import { listen } from '#setup/listen.ts';
import { openCertificate } from './certificate.ts';
import { Connection } from './connection.ts';
import type { Outcome } from './failures.ts';
import { Peers } from './peers.ts';
import { mechanisms, userNameOf } from './sasl.ts';
import type { Limits, Shared, SmtpServices } from './shared.ts';
import type { Accepted, BaseConnection } from './smtp-server-adapter.ts';

/** Maximum duration of a Node timer in ms. */
const longestTimerMs = 2 ** 31 - 1;
const drainEveryMs = 100;

/** SMTP listener that receives mail. */
export type Smtp = {
  /** Starts to listen and returns the port. The system chooses the port if the setting is 0. Throws an error that names the setting. */
  listen(): Promise<number>;
  /** Stops accepting connections. Lets dialogues finish the current email, and ends all others with 421. */
  close(): Promise<void>;
};

/**
 * Creates a listener (RFC 5321) that stores mail for the registered accounts and never relays mail and, if its port is set, another
 * listener with implicit TLS. Both share all limits. Throws an error of one sentence if the certificate cannot be used.
 */
export function createSmtp(
  services: SmtpServices,
  limits: Limits = { ...defaultLimits.smtp, ...services.config.smtpConnections },
): { smtp: Smtp; smtps: Smtp | null } {
  const { config, log } = services;
  const certificate = config.smtpTls && openCertificate(config.smtpTls, services);
  const shared: Shared = {
    services,
    limits,
    signIns: { failures: new FailedSignIns(services), passwords: new KnownPasswords() },
    peers: new Peers(services),
    admission: createAdmission(limits.connections, limits.connectionsPerAddress),
    held: { total: 0 },
    turns: new Turns(limits.turnMs, () => services.metrics.limitReached('smtp.turnMs')),
  };
  // smtp-server passes its session to the handlers.
  const connections = new WeakMap<SMTPServerSession, Connection>();
  /** Ends a command in the same way as smtp-server, unless the command's connection has ended. */
  const answer = async (
    session: SMTPServerSession,
    done: (refusal: Error | null) => void,
    decide: (connection: Connection) => Promise<Outcome> | null,
  ): Promise<void> => {
    const connection = connections.get(session);
    if (connection === undefined) return;
    const decision = decide(connection);
    const outcome = decision && (await decision);
    if (outcome !== 'cut') done(outcome && connection.refusal(outcome));
  };
  const optionsOf = (): SMTPServerOptions => ({
    name: services.receivedBy,
    banner: 'Sandpost',
    heloResponse: '%s',
    size: services.maxMessageBytes,
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    disabledCommands: ['WIZ', 'SHELL', 'KILL'],
    authMethods: [...mechanisms],
    authOptional: true,
    allowInsecureAuth: true,
    hideSTARTTLS: certificate === null,
    ...certificate?.current,
    disableReverseLookup: true,
    logger: false,
    maxClients: limits.connections,
    maxRecipients: limits.recipients,
    // `checkPace` ends idle connections. smtp-server's own timeout would also end a connection whose message is being stored.
    socketTimeout: longestTimerMs,
    closeTimeout: limits.drainMs,
    onConnect: (_session, done) => done(),
    // Continues immediately, because a client may send commands as soon as the TLS handshake has finished.
    onSecure: (_tls, _session, done) => done(),
    onAuth: ({ username = '', password }, session, done) => {
      const credentials = { userName: userNameOf(username), password: password ?? '' };
      const end = (refusal: Error | null) => done(refusal, { user: refusal === null });
      answer(session, end, (connection) => connection.onAuth(credentials));
    },
    onMailFrom: (address, session, done) => answer(session, done, (connection) => connection.onMail(address)),
    onRcptTo: (address, session, done) =>
      answer(session, done, (connection) => connection.onRecipient(address)),
  });
  const listeners: Listener[] = [];
  const create = (implicitTls: boolean): Listener => {
    const listener = new Listener(optionsOf(), {
      createConnection: (accepted) => {
        const connection = new Connection(accepted, shared, implicitTls);
        connections.set(connection.session, connection);
        return connection;
      },
      // A peer ::ffff:192.0.2.1 is compared as an IPv4 address.
      isProxy: (address) => config.smtpProxyFrom?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ?? false,
      proxyLineMs: limits.handshakeMs,
      onProxyTimeout: () => services.metrics.limitReached('smtp.handshakeMs'),
    });
    // Errors that concern a single client: a lost connection, a failed TLS handshake, or an invalid PROXY line.
    listener.on('error', (err) => log.debug({ err }, 'an SMTP connection failed'));
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
      listen: () => listen(plain, config.smtpHost, config.smtpPort, 'SANDPOST_SMTP_PORT'),
      async close() {
        await plain.drain();
        clearInterval(paceTimer);
        certificate?.close();
      },
    },
    smtps: tls && {
      listen: () => listen(tls.listener, config.smtpHost, tls.port, 'SANDPOST_SMTPS_PORT'),
      close: () => tls.listener.drain(),
    },
  };
}

/** A listener's connection. `checkPace` ends a dialogue that is too slow, and `drain` ends dialogues when the server stops. */
type Dialogue = BaseConnection & { checkPace(now: number): void; drain(now: number): void };

type Choices = {
  createConnection(accepted: Accepted): Dialogue;
  /** Checks whether a peer is a proxy. A proxy's connections begin with a PROXY line. */
  isProxy(address: string): boolean;
  /** Maximum time until a proxy has sent this line. Then `onProxyTimeout` is called, and the connection ends. */
  proxyLineMs: number;
  onProxyTimeout(): void;
};

export class Listener extends SMTPServer {
  /** Connections that are neither closed nor closing. */
  declare readonly connections: Set<Dialogue>;
  /** True once the listener has started to close. */
  isDraining = false;
  readonly #choices: Choices;
  #accepted = 0;

  constructor(options: SMTPServerOptions, choices: Choices) {
    super(options);
    this.#choices = choices;
  }

  /** Replaces the connection class, for which smtp-server has no option. */
  override connect(socket: Socket, options: SMTPConnectionOptions | null = null): void {
    const connection = this.#choices.createConnection({ server: this, socket, options });
    this.connections.add(connection);
    connection.on('error', (error: Error) => this.emit('error', error));
    connection.open();
  }

  /** Replaces the option `useProxy`, which compares a peer with single addresses but not with networks. */
  override _expectsProxyHeader(socket: Socket): boolean {
    return this.#choices.isProxy(socket.remoteAddress ?? '');
  }

  /**
   * Connects a peer that is not a proxy immediately. smtp-server would spend a random ID for its log and a turn of the event loop on each
   * such peer. It would wait for a proxy's line as long as `socketTimeout`, and refuse all proxies while `maxClients` of them are silent.
   */
  override _handleProxy(socket: Socket, connect: Parameters<SMTPServer['_handleProxy']>[1]): void {
    if (this._expectsProxyHeader(socket)) {
      const timer = setTimeout(() => {
        this.#choices.onProxyTimeout();
        socket.destroy();
      }, this.#choices.proxyLineMs);
      super._handleProxy(socket, (...result) => {
        clearTimeout(timer);
        connect(...result);
      });
      return;
    }
    this.#accepted += 1;
    connect(null, { id: String(this.#accepted) });
  }

  checkPace(): void {
    const now = performance.now();
    for (const connection of [...this.connections]) connection.checkPace(now);
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    const closed = new Promise<void>((resolve) => this.close(() => resolve()));
    // smtp-server would refuse all further commands. The timer that cuts the remaining connections continues.
    this._closeTimeout = false;
    // Advances the time by one step per round: while this thread is blocked, clients are not silent, because their commands are waiting
    // to be read.
    let now = performance.now();
    const drain = () => {
      for (const connection of [...this.connections]) connection.drain(now);
      now += drainEveryMs;
    };
    const timer = setInterval(drain, drainEveryMs);
    await closed;
    clearInterval(timer);
  }
}
