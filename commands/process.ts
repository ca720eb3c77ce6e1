import { namesThisMachine } from '#api/middleware/session-cookie.ts';
import { bootstrap } from '#core/access/bootstrap.ts';
import type { Account } from '#core/accounts/account.ts';
import { ensureCaptureAccount } from '#core/accounts/ensure-capture-account.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import { Invalid, invalid, StoreFull } from '#core/errors.ts';
import { type Config, ConfigError } from '#setup/config.ts';
import { openServices, openSpans, type Services } from '#setup/services.ts';
import { createLog, type Log } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { startOps } from './ops.ts';
import { workshopEntry } from './workshop-entry.ts';

/** Listener of a process, with its name and its note in the log. */
export type Listener = {
  what: 'http' | 'smtp' | 'smtps';
  /** Text of its log line, by port. */
  note: (port: number) => string;
  listen(): Promise<number>;
  close(): Promise<void>;
};

/** Part of a process: creates its listeners. */
export type Part = (services: Services) => Listener[];

/** `operator`: the process also runs an operator. `prepare` runs before the listeners are created, and may replace services. */
type Options = {
  upkeep: boolean;
  operator?: boolean;
  prepare?: (services: Services) => Promise<Partial<Services>>;
};

/**
 * Runs a process until a signal stops it: services, probes, listeners, and the upkeep if `upkeep` is set. When the process stops,
 * readiness fails first, then the listeners close in parallel, then everything else closes.
 */
export async function runProcess(
  config: Config,
  parts: Part[],
  { upkeep, operator = false, prepare = async () => ({}) }: Options,
): Promise<void> {
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  await runUntilStopped(log, async (closing) => {
    const opened = await openServices(config, log, metrics, workshopEntry);
    closing(() => opened.close());
    const spans = await openSpans(opened);
    if (spans !== null) closing(() => spans.close());
    /** True once only the mail listeners are open: without the store, replying 451 is better than a Service without endpoints. */
    let answersAlone = false;
    // A full disk leaves the process ready: reading and deleting still work, and deleting makes room.
    const ready = async () => {
      if (answersAlone) return;
      await opened.store.ping().catch((error) => {
        if (!(error instanceof StoreFull)) throw error;
      });
    };
    const own = { ...(await bootstrapped(opened)), ...(await prepare(opened)) };
    const services = { ...opened, ...own, ...spans?.ports, ready };
    // A visitor needs no key, so pages from other hosts must not reach any port.
    const { visitor, isOwnHost } = services;
    const answers = visitor === null ? undefined : (host: string) => namesThisMachine(host, isOwnHost);
    const ops = await startOps(config, log, metrics, ready, undefined, answers, services.storeRoom);
    closing(() => ops.close());

    const listeners = parts.flatMap((part) => part(services));
    closing(async () => {
      ops.drain();
      await Promise.all(listeners.map(({ close }) => close()));
    });
    for (const { what, note, listen } of listeners) {
      const host = what === 'http' ? config.httpHost : config.smtpHost;
      const port = await listen();
      log.info({ event: 'listening', what, host, port }, note(port));
    }
    answersAlone = listeners.every(({ what }) => what !== 'http');
    if (upkeep) services.startUpkeep();
    if (operator) closing(await startOperator(services));
  });
}

/**
 * Starts an operator in this process, and returns the function that closes it. Probes exclude the operator because mail is received and
 * read without the Kubernetes API, whose client is loaded only here.
 */
async function startOperator(services: Services): Promise<() => Promise<void>> {
  const { createOperator } = await import('#operator/operator.ts');
  const operator = createOperator(services);
  operator.start();
  return () => operator.close();
}

/** Creates what the settings request at startup. Throws ConfigError if that fails. */
async function bootstrapped(services: Services): Promise<Partial<Services>> {
  const { bootstrap: wanted } = services.config;
  if (wanted === null) return {};
  const { capture } = wanted;
  try {
    const user = await bootstrap(services, wanted);
    if (capture === null) return {};
    const account = await ensureCaptureAccount(services, user.id, capture);
    if (!account.capture) {
      const other = await services.accounts.findCapture(user.id);
      throw invalid(
        'capture',
        `${other} is already the team's capture account: name that account, or turn off its Capture setting`,
      );
    }
    return { everybody: captureSubmitter(account) };
  } catch (error) {
    if (capture === null || !(error instanceof Invalid)) throw error;
    if (error.violations[0]?.field === 'apiKey')
      throw new ConfigError(`SANDPOST_BOOTSTRAP_API_KEY cannot be used: ${error.violations[0].message}`);
    throw new ConfigError(`SANDPOST_BOOTSTRAP_CAPTURE=${capture} cannot be created: ${error.message}`);
  }
}

/** Returns the submitter of mail from everybody, which goes to this account. */
export function captureSubmitter({ owner, address }: Account): Submitter {
  return { owner, kind: 'account', name: address, proof: '' };
}

/** Refuses a command whose processes share only the cluster store, if no cluster store is configured. Throws ConfigError. */
export function requireCluster({ cluster }: Config, command: string): void {
  if (cluster !== null) return;
  throw new ConfigError(
    `sandpost ${command} needs SANDPOST_MONGODB_URI and SANDPOST_REDIS_URL; without them, run sandpost start, which runs all of Sandpost in one process`,
  );
}

/** Time limit of an orderly stop in ms, after which the process exits. The chart gives a pod 45 s. */
const stopWithinMs = 25_000;

/**
 * Time in ms after a signal in which another signal of the same name counts as the same: npm forwards signals that the terminal has
 * already sent to npm's child.
 */
const repeatedMs = 500;

/**
 * Runs `open`, which starts parts and registers a function that closes each of them. Closes the parts in reverse order on SIGTERM or
 * SIGINT, or if `open` fails. A later signal of the same name ends the process immediately.
 */
export async function runUntilStopped(
  log: Log,
  open: (closing: (close: () => Promise<void>) => void) => Promise<void>,
): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) {
      await close().catch((err) => log.error({ err }, 'a component failed to close'));
    }
  };
  const stopped = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const onSignal = () => resolve(signal);
      process.on(signal, onSignal);
      process.once(signal, () => setTimeout(() => process.off(signal, onSignal), repeatedMs).unref());
    }
  });
  try {
    await open((close) => closers.push(close));
  } catch (error) {
    await closeAll();
    throw error;
  }
  const signal = await stopped;
  log.info({ event: 'stopping', signal }, 'finishing the work in progress before shutting down');
  const deadline = setTimeout(() => {
    log.error(
      { event: 'stopped' },
      `shutdown timed out after ${stopWithinMs / 1000} s; aborting the work in progress`,
    );
    process.exit(1);
  }, stopWithinMs);
  await closeAll();
  // From here on, the process runs only while something keeps it alive.
  deadline.unref();
  log.info({ event: 'stopped' }, 'shutdown complete');
}
