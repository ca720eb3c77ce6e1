import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LimitName } from '#core/limits.ts';
import { programVersion } from './program-version.ts';

/** Creates a process's metrics, which are passed to the parts of the process that count. Times are in seconds, and sizes in bytes. */
export function createMetrics() {
  const registry = new Registry();
  // A timer measures event loop delays. With its default of 10 ms, the timer would use most of an idle process's CPU time.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const registers = [registry];
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const seconds = <Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ) => new Histogram({ name, help, buckets, labelNames, registers });
  const limitsReached = counter(
    'sandpost_limits_reached_total',
    'Number of times that each limit in docs/limits.md was reached',
    ['limit'],
  );
  gauge('sandpost_build_info', 'Always 1, labeled with the program version', ['version']).set(
    { version: programVersion },
    1,
  );
  return {
    registry,
    /** Functions that measure, which run before each read of the metrics. */
    measurements: new Set<() => Promise<void>>(),
    httpRequests: seconds(
      'sandpost_http_request_duration_seconds',
      'Duration of API requests',
      [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120],
      ['method', 'route', 'status'],
    ),
    rateLimitFailures: counter(
      'sandpost_rate_limit_failures_total',
      'Calls that were not counted because the shared rate window was unreachable',
    ),
    untrustedForwards: counter(
      'sandpost_http_untrusted_forwards_total',
      'Requests with X-Forwarded-For from a peer that is not a trusted proxy',
    ),
    limitReached: (limit: LimitName): void => limitsReached.inc({ limit }),
    eventStreams: gauge('sandpost_event_streams', 'Open event streams'),
    smtpConnections: gauge('sandpost_smtp_connections', 'Open SMTP connections'),
    smtpReplies: counter('sandpost_smtp_replies_total', 'Replies to RCPT and DATA, by reply code', [
      'command',
      'code',
    ]),
    simulatedReplies: counter(
      'sandpost_smtp_simulated_replies_total',
      'Simulated replies to RCPT and DATA, from failure rules or addresses, by command and reply code',
      ['command', 'code'],
    ),
    certificateExpires: gauge(
      'sandpost_smtp_certificate_expires_seconds',
      "SMTP certificate's expiration time, in seconds since 1970",
    ),
    messagesStored: counter('sandpost_messages_stored_total', 'Messages stored durably'),
    bytesStored: counter('sandpost_bytes_stored_total', 'Bytes of stored mail'),
    deliverySeconds: seconds(
      'sandpost_delivery_duration_seconds',
      'Time from the end of DATA to the durable commit',
      [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10],
    ),
    commitRetries: counter(
      'sandpost_commit_retries_total',
      'Transactions retried after a conflict with another transaction',
    ),
    messagesRemoved: counter(
      'sandpost_messages_removed_total',
      'Messages removed by retention or expiration, or with their mailbox, account, domain or team',
    ),
    fullAccounts: gauge('sandpost_full_accounts', 'Accounts in the store that are full and refuse mail'),
    diskFull: gauge('sandpost_store_full', "1 while the store's disk is full"),
    storeBytes: gauge('sandpost_store_bytes', 'Size of the embedded store'),
    diskFreeBytes: gauge('sandpost_store_free_bytes', "Free bytes on the embedded store's disk"),
    spansLost: counter('sandpost_spans_lost_total', 'Mail spans that the collector did not accept'),
    mxChecks: counter('sandpost_mx_checks_total', 'MX checks, by answer', ['answer']),
    reconcileSeconds: seconds(
      'sandpost_operator_reconcile_duration_seconds',
      'Duration of one reconciliation of a Kubernetes resource, by kind',
      [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 10],
      ['kind'],
    ),
    reconcileFailures: counter(
      'sandpost_operator_reconcile_failures_total',
      'Failed reconciliations of Kubernetes resources, which are retried',
      ['kind'],
    ),
    reconcileQueue: gauge('sandpost_operator_queue_depth', 'Kubernetes resources waiting to be reconciled'),
    watchRestarts: counter(
      'sandpost_operator_watch_restarts_total',
      'Kubernetes watches that ended with an error and were restarted',
    ),
    refusedWatches: gauge(
      'sandpost_operator_refused_watches',
      '1 while the API server refuses to list and watch these objects because the permission or the definition is missing',
      ['what'],
    ),
    kubernetesRequests: counter(
      'sandpost_operator_kubernetes_requests_total',
      'Kubernetes API calls except watches, by HTTP method',
      ['method'],
    ),
    orphans: gauge(
      'sandpost_operator_orphans',
      'Objects in the store whose Kubernetes resource is missing, kept until the grace period ends',
      ['kind'],
    ),
    foreignThings: gauge(
      'sandpost_operator_foreign_things',
      "Objects in the store that other clusters' Kubernetes resources created",
      ['kind'],
    ),
    resources: gauge('sandpost_operator_resources', 'Kubernetes resources, by Ready condition', [
      ...(['kind', 'ready', 'reason'] as const),
    ]),
    tenantMessages: gauge(
      'sandpost_operator_tenant_messages',
      "Messages in the accounts that a namespace's resources manage",
      ['tenant'],
    ),
    tenantBytes: gauge(
      'sandpost_operator_tenant_bytes',
      "Bytes of mail in the accounts that a namespace's resources manage",
      ['tenant'],
    ),
    tenantLimitBytes: gauge(
      'sandpost_operator_tenant_limit_bytes',
      "Total storage limit of the accounts that a namespace's resources manage",
      ['tenant'],
    ),
    leaderChanges: counter(
      'sandpost_operator_leader_changes_total',
      'Number of times that this process started or stopped reconciling',
    ),
    leading: gauge('sandpost_operator_leading', '1 while this process reconciles'),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
