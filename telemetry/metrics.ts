import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LimitName } from '#core/limits.ts';

/** Creates the metrics of one process, which are passed to the parts that count. Times are in seconds, sizes in bytes. */
export function createMetrics() {
  const registry = new Registry();
  // Delays of the event loop are measured by a timer. With the default of 10 ms it takes most of the time of an idle process.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const registers = [registry];
  const limitsReached = new Counter({
    name: 'sandpost_limits_reached_total',
    help: 'Times that a limit of docs/limits.md was reached, by its name',
    labelNames: ['limit'],
    registers,
  });
  return {
    registry,
    httpRequests: new Histogram({
      name: 'sandpost_http_request_duration_seconds',
      help: 'Time to answer an API request',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120],
      registers,
    }),
    rateLimitFailures: new Counter({
      name: 'sandpost_rate_limit_failures_total',
      help: 'Calls that the shared rate window could not count because it could not be reached',
      registers,
    }),
    untrustedForwards: new Counter({
      name: 'sandpost_http_untrusted_forwards_total',
      help: 'Requests with X-Forwarded-For from a peer that is not a trusted proxy',
      registers,
    }),
    /** Counts that a limit was reached. */
    limitReached: (limit: LimitName): void => limitsReached.inc({ limit }),
    eventStreams: new Gauge({ name: 'sandpost_event_streams', help: 'Open event streams', registers }),
    smtpConnections: new Gauge({
      name: 'sandpost_smtp_connections',
      help: 'Open SMTP connections',
      registers,
    }),
    smtpReplies: new Counter({
      name: 'sandpost_smtp_replies_total',
      help: 'Answers to RCPT and DATA by reply code',
      labelNames: ['command', 'code'],
      registers,
    }),
    messagesStored: new Counter({
      name: 'sandpost_messages_stored_total',
      help: 'Messages stored durably',
      registers,
    }),
    bytesStored: new Counter({
      name: 'sandpost_bytes_stored_total',
      help: 'Bytes of stored mail',
      registers,
    }),
    deliverySeconds: new Histogram({
      name: 'sandpost_delivery_duration_seconds',
      help: 'Time from the end of DATA to the durable commit',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10],
      registers,
    }),
    commitRetries: new Counter({
      name: 'sandpost_commit_retries_total',
      help: 'Transactions that another one made begin anew',
      registers,
    }),
    messagesRemoved: new Counter({
      name: 'sandpost_messages_removed_total',
      help: 'Messages removed by retention, expiry and cascades',
      registers,
    }),
    fullAccounts: new Gauge({
      name: 'sandpost_full_accounts',
      help: 'Accounts that refuse mail for want of room, of the whole store',
      registers,
    }),
    diskFull: new Gauge({
      name: 'sandpost_store_full',
      help: '1 while the disk of the store has no room for mail',
      registers,
    }),
    storeBytes: new Gauge({
      name: 'sandpost_store_bytes',
      help: 'Size of the embedded store',
      registers,
    }),
    diskFreeBytes: new Gauge({
      name: 'sandpost_store_free_bytes',
      help: 'Free bytes on the disk of the embedded store',
      registers,
    }),
    mxChecks: new Counter({
      name: 'sandpost_mx_checks_total',
      help: 'MX checks by their answer',
      labelNames: ['answer'],
      registers,
    }),
    reconcileSeconds: new Histogram({
      name: 'sandpost_operator_reconcile_duration_seconds',
      help: 'Time of one look at a Kubernetes resource, with what it led to',
      labelNames: ['kind'],
      buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 10],
      registers,
    }),
    reconcileFailures: new Counter({
      name: 'sandpost_operator_reconcile_failures_total',
      help: 'Looks at a Kubernetes resource that failed and are repeated',
      labelNames: ['kind'],
      registers,
    }),
    reconcileQueue: new Gauge({
      name: 'sandpost_operator_queue_depth',
      help: 'Kubernetes resources that wait to be looked at',
      registers,
    }),
    watchRestarts: new Counter({
      name: 'sandpost_operator_watch_restarts_total',
      help: 'Watches of Kubernetes resources that ended with an error and were begun again',
      registers,
    }),
    kubernetesRequests: new Counter({
      name: 'sandpost_operator_kubernetes_requests_total',
      help: 'Calls to the Kubernetes API but for watches, by HTTP method',
      labelNames: ['method'],
      registers,
    }),
    orphans: new Gauge({
      name: 'sandpost_operator_orphans',
      help: 'Things in the store whose Kubernetes resource is missing, kept until the grace period ends',
      labelNames: ['kind'],
      registers,
    }),
    foreignThings: new Gauge({
      name: 'sandpost_operator_foreign_things',
      help: 'Things in the store that Kubernetes resources of other clusters made',
      labelNames: ['kind'],
      registers,
    }),
    leading: new Gauge({
      name: 'sandpost_operator_leading',
      help: '1 while this process is the one that reconciles',
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
