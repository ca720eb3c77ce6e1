import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { openArchiveFolder } from '#adapters/archive-folder.ts';
import { createSpamFilter } from '#adapters/checks/spam-filter.ts';
import { composeReport } from '#adapters/composing/report-composer.ts';
import { createResolver } from '#adapters/dns/dns.ts';
import { createLocalRateWindow } from '#adapters/local/rate-window.ts';
import { MailPool } from '#adapters/mail-pool/mail-pool.ts';
import { createIdentityProvider } from '#adapters/openid/identity-provider.ts';
import { createLinkChecker } from '#adapters/outbound/link-checker.ts';
import { createPasswords } from '#adapters/passwords.ts';
import { Examinations } from '#adapters/stores/examinations.ts';
import { Workshop } from '#adapters/workshop/workshop.ts';
import type { RateWindow, User } from '#core/access/access.ts';
import { createFailureSimulator } from '#core/delivery/failure-simulator.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import { withRules } from '#core/delivery/with-rules.ts';
import { withSenders } from '#core/delivery/with-senders.ts';
import type { EventBus } from '#core/events/event.ts';
import { createFeed } from '#core/events/feed.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { readPage } from '#core/messages/list-messages.ts';
import type { SenderTable } from '#core/messages/sender.ts';
import { createWaits } from '#core/messages/waits.ts';
import { createRefusals } from '#core/refusals/collect-refusals.ts';
import type { Store } from '#core/store.ts';
import { Delays } from '#gate/delays.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import { MailRoom } from '#gate/mail-room.ts';
import { createSearchTurns } from '#gate/search-turns.ts';
import { createWaitSlots } from '#gate/slots.ts';
import { createOverflowHandler } from '#maintenance/overflow.ts';
import { createRoomMeter } from '#maintenance/store-room.ts';
import { createCascade, runUpkeep } from '#maintenance/upkeep.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Config } from './config.ts';
import { isLoopbackHost } from './loopback.ts';
import { createMessageWork } from './message-work.ts';

/** Opens mail spans if the settings name a collector, and returns the ports that create spans. Loads the spans' packages only then. */
export async function openSpans(services: Services) {
  const { config, log, metrics } = services;
  if (config.otlpUrl === null) return null;
  const { openTracer } = await import('#adapters/spans/tracer.ts');
  const { traceMail } = await import('#adapters/spans/trace-mail.ts');
  const tracer = openTracer(config.otlpUrl, { metrics, warn: (fields, text) => log.warn(fields, text) });
  return { ports: traceMail(services, tracer), close: () => tracer.close() };
}

/** Implementations of all use cases' ports, under the ports' names. A use case receives the whole object. */
export type Services = Awaited<ReturnType<typeof openServices>>;

type LocalUse = {
  /** User on whose behalf requests without a credential act if they come from this machine. Only in `sandpost dev`. */
  visitor: User | null;
  /** Checks whether requests to a host come from this machine or its network. Null if there is no visitor. */
  isOwnHost: (host: string) => boolean;
  /** Submitter of SMTP mail that does not belong to another team. Used by `sandpost dev` and `SANDPOST_BOOTSTRAP_CAPTURE`. */
  everybody: Submitter | null;
};

/** Store, and the channels between processes. */
type Backend = {
  store: Store;
  bus: EventBus;
  rates: RateWindow;
  attempts: RateWindow;
  /** Table of senders. Null unless messages name the pods that sent them. */
  senders: SenderTable | null;
  close(): Promise<void>;
};

/** Opens a backend within this process. Does not load the packages of the other backend. */
async function openEmbedded({ dataDir, attributeSenders }: Config): Promise<Backend> {
  const { openSqliteStore } = await import('#adapters/stores/sqlite/open.ts');
  const { createLocalBus } = await import('#adapters/local/event-bus.ts');
  const store = await openSqliteStore({ dataDir });
  const rates = createLocalRateWindow();
  const local = attributeSenders ? await import('#adapters/local/senders.ts') : null;
  const senders = local?.createLocalSenders() ?? null;
  return { store, bus: createLocalBus(), rates, attempts: rates, senders, close: () => store.close() };
}

/** Opens a backend on MongoDB and Redis, which any number of processes may share. */
async function openCluster(
  { attributeSenders, clusterId }: Config,
  { mongodbUri, redisUrl }: NonNullable<Config['cluster']>,
  log: Log,
  metrics: Metrics,
  examining: Examinations,
): Promise<Backend> {
  const { openMongoStore } = await import('#adapters/stores/mongo/open.ts');
  const { createRedisBus } = await import('#adapters/redis/event-bus.ts');
  const { createAttemptWindow, createRedisRateWindow } = await import('#adapters/redis/rate-window.ts');
  const store = await openMongoStore({
    uri: mongodbUri,
    onRetry: () => metrics.commitRetries.inc(),
    examining,
  });
  const bus = createRedisBus({ url: redisUrl, installation: store.installation, log });
  const { installation } = store;
  const rates = createRedisRateWindow({ url: redisUrl, installation });
  const shared = attributeSenders ? await import('#adapters/redis/senders.ts') : null;
  const senders =
    shared?.createRedisSenders({ url: redisUrl, installation, cluster: clusterId ?? '' }) ?? null;
  await Promise.all([bus.opened, rates.opened, senders?.opened]);
  return {
    store,
    bus,
    rates,
    senders,
    attempts: createAttemptWindow(rates, createLocalRateWindow(), () => metrics.rateLimitFailures.inc()),
    async close() {
      senders?.close();
      await Promise.all([bus.close(), rates.close()]);
      await store.close();
    },
  };
}

/**
 * Opens the services that the settings name. `workshopEntry`: module that the workshop's threads run. Throws an error of one sentence if
 * a service cannot be opened.
 */
export async function openServices(config: Config, log: Log, metrics: Metrics, workshopEntry: URL) {
  const clock = () => new Date();
  const { oidc } = config;
  const examining = new Examinations();
  const backend = config.cluster
    ? await openCluster(config, config.cluster, log, metrics, examining)
    : await openEmbedded(config);
  const { store, bus, rates, attempts, senders } = backend;
  const feed = createFeed(store.journal, bus, {
    pollMs: 2000,
    onError: (err) => log.warn({ err }, 'could not read the event journal; trying again in 2 s'),
  });
  const searches = createSearchTurns(metrics.limitReached);
  const waits = createWaits({
    feed,
    journal: store.journal,
    enter: createWaitSlots(config.maxWaits, () => metrics.limitReached('answers.waits')),
    async list(owner, filter, page) {
      const ports = { ...store, searches, clock, retentionDays: config.retentionDays };
      return readPage(ports, owner, filter, page, { user: await store.payers.of(owner), look: true });
    },
  });
  const resolver = createResolver({ servers: config.dnsServers, timeoutMs: 5000 });
  const pool = new MailPool({
    // The embedded store writes in a separate thread.
    workers: Math.max(1, Math.min(4, availableParallelism() - (config.cluster ? 0 : 1))),
    dnsServers: config.dnsServers,
    maxMessageBytes: config.maxMessageBytes,
    examineTimeoutMs: limits.mail.examineMs,
    limitReached: metrics.limitReached,
  });
  const examiner = config.cluster ? examining.around(pool) : pool;
  const workshop = new Workshop(workshopEntry, metrics.limitReached);
  const { payers } = store;
  const work = createMessageWork(workshop, payers, metrics);
  const { matcher } = work;
  const ruled = withRules(store.deliveries, { rows: store.rows, matcher }, limits.mail.knownRules);
  const deliveries = senders === null ? ruled : withSenders(ruled, senders);
  const byPayer = createFairLimiter({ placesPerKey: 1 });
  const inTurn = async <T>(team: Id, count: () => Promise<T>) =>
    byPayer(String(await payers.of(team)), count);
  const failureSimulator = createFailureSimulator(
    { ...store, matcher, clock, inTurn },
    limits.mail.knownRules,
  );
  const passwords = createPasswords(() => metrics.limitReached('access.hashesWaiting'));
  const stopping = new AbortController();
  const cascade = createCascade({ store, bus, metrics, log, clock }, stopping.signal);
  const overflow = createOverflowHandler({ ...store, bus, log, clock });
  const refusals = createRefusals(store, {
    payers,
    clock,
    bounds: limits.refusals,
    limitReached: metrics.limitReached,
    onError: (err) => log.warn({ err }, 'could not write refusals; they are lost'),
  });
  let upkeep: Promise<void> | undefined;
  const nobody: LocalUse = { visitor: null, isOwnHost: isLoopbackHost, everybody: null };
  return {
    ...store,
    store,
    config,
    log,
    metrics,
    clock,
    bus,
    feed,
    refusals,
    waits,
    rates,
    attempts,
    /** Password hashing for people who sign in. */
    passwords: passwords.signIn,
    accountPasswords: passwords.accounts,
    identityProvider: oidc && createIdentityProvider({ oidc, log, limitReached: metrics.limitReached }),
    groupTeams: oidc?.groupTeams ?? [],
    examiner,
    /** Examines stored emails again with assumed facts. This work does not delay commits. */
    reexaminer: pool,
    composeReport,
    /** Sends the requests of link checks. Null if outbound requests are disabled. */
    links:
      config.outbound &&
      createLinkChecker({ ...config.outbound, resolver, limitReached: metrics.limitReached }),
    ...work,
    spamFilter: config.spamUrl === null ? null : createSpamFilter(config.spamUrl, metrics),
    deliveries,
    senders,
    failureSimulator,
    delays: new Delays(payers, metrics.limitReached),
    mailRoom: new MailRoom(payers),
    searches,
    mx: resolver,
    cascade,
    overflow,
    storeRoom: createRoomMeter(store, metrics),
    retentionDays: config.retentionDays,
    quotas: config.quotas,
    requireVerified: config.requireVerified,
    captureAddress: config.capture,
    ...nobody,
    domainSuffixes: config.domainSuffixes,
    maxMessageBytes: config.maxMessageBytes,
    /** Name of this installation in greetings, envelopes and Authentication-Results. */
    receivedBy: new URL(config.baseUrl).hostname,
    openArchive: openArchiveFolder,
    /** Resolves if the process is able to do its work. */
    ready: () => store.ping(),
    /** Runs the upkeep whenever this process has the lease, until `close` is called. */
    startUpkeep() {
      upkeep ??= runUpkeep(
        {
          store,
          bus,
          mx: resolver,
          clock,
          log,
          metrics,
          overflow,
          mxHosts: config.mxHosts,
          pace: {
            pendingMs: (config.mxInterval ?? 60) * 1000,
            settledMs: (config.mxInterval ?? 600) * 1000,
          },
          retentionDays: config.retentionDays,
        },
        randomUUID(),
        stopping.signal,
      );
    },
    /** Closes everything, in the reverse order of opening. */
    async close() {
      stopping.abort();
      await upkeep;
      await cascade.settled();
      feed.close();
      await refusals.close();
      await examiner.close();
      await workshop.close();
      await backend.close();
    },
  };
}
