import { setTimeout as pause } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { ParentSpan } from '#core/messages/trace-context.ts';
import { Slots } from '#gate/slots.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { programVersion } from '#telemetry/program-version.ts';

/** Start and end of work in ms since 1970. */
export type Times = { startMs: number; endMs: number };

/** Completed work of a team. Contains ids, sizes and results, but no text from an email. */
export type Work = Times & {
  name: 'receive' | 'examine' | 'commit' | 'first read';
  parent: ParentSpan;
  team: Id;
  failed?: boolean;
  attributes: Record<string, string | number | number[]>;
};

export type Tracer = {
  /** Creates a span to send later, and returns it as a parent. Returns null if too many spans wait to be sent. */
  record(work: Work): ParentSpan | null;
  /** Sends the waiting spans, within a time limit. */
  close(): Promise<void>;
};

type Ports = {
  metrics: Pick<Metrics, 'limitReached' | 'spansLost'>;
  /** Writes a log line. */
  warn(fields: object, text: string): void;
};

/**
 * Opens a tracer that sends spans to a collector by OTLP over HTTP, in protobuf. Nothing waits for the tracer: spans that the collector
 * does not accept in time are lost and counted. The packages' variables `OTEL_…` add headers, time limits and attributes.
 */
export function openTracer(url: string, { metrics, warn }: Ports): Tracer {
  const { waiting, waitingOfTeam, sendMs } = limits.spans;
  const batchSize = 256;
  const byTeam = new Slots<Id>(waitingOfTeam);
  /** Functions by span id that free the slots of spans that wait to be sent. */
  const leaving = new Map<string, () => void>();
  const hasTimeout = process.env.OTEL_EXPORTER_OTLP_TIMEOUT || process.env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT;
  let isClosed = false;
  const options = {
    url: tracesUrl(url),
    // The packages read the headers before each attempt, so a closed tracer ends their attempts by rejecting here.
    headers: async () => (isClosed ? Promise.reject(new Error('the process is ending')) : {}),
    // Sends all batches at the same time at a stop, in addition to the one in progress.
    concurrencyLimit: Math.ceil(waiting / batchSize) + 1,
    // The packages retry within this time, which delays the end of the process.
    ...(!hasTimeout && { timeoutMillis: sendMs }),
  };
  const { agentFactory, timeoutMillis } = convertLegacyHttpOptions(options, 'TRACES', 'v1/traces', {});
  const agent = agentFactory(new URL(url).protocol);
  const cut = async () => (await agent).destroy();
  const sender = new OTLPTraceExporter({ ...options, httpAgentOptions: () => agent });
  let isAway = false;
  const settled = (ids: string[], error: Error | undefined): void => {
    for (const id of ids) {
      leaving.get(id)?.();
      leaving.delete(id);
    }
    if (error !== undefined) metrics.spansLost.inc(ids.length);
    if (error !== undefined && !isAway)
      warn(
        { err: error },
        'the collector at SANDPOST_OTLP_URL did not accept spans; spans are lost until it does',
      );
    isAway = error !== undefined;
  };
  const exporter: SpanExporter = {
    export(spans, done) {
      const ids = spans.map((span) => span.spanContext().spanId);
      // The packages limit only the time between two bytes, which never ends if a collector sends a byte now and then.
      const late = setTimeout(cut, Math.min(timeoutMillis, 2 ** 31 - 1)).unref();
      sender.export(spans, (result) => {
        clearTimeout(late);
        settled(ids, result.error);
        done(result);
      });
    },
    shutdown: () => sender.shutdown(),
  };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'sandpost', 'service.version': programVersion }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: waiting,
        maxExportBatchSize: batchSize,
        scheduledDelayMillis: 1_000,
      }),
    ],
  });
  const tracer = provider.getTracer('sandpost', programVersion);

  return {
    record({ name, parent, team, startMs, endMs, failed, attributes }) {
      const isFull = leaving.size >= waiting;
      const leave = isFull ? null : byTeam.take(team);
      if (leave === null) {
        metrics.limitReached(isFull ? 'spans.waiting' : 'spans.waitingOfTeam');
        return null;
      }
      const { traceId, parentSpanId: spanId } = parent;
      const sent = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const kind = name === 'receive' ? SpanKind.CONSUMER : SpanKind.INTERNAL;
      const within = trace.setSpanContext(ROOT_CONTEXT, sent);
      const span = tracer.startSpan(`sandpost ${name}`, { kind, startTime: startMs, attributes }, within);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      leaving.set(span.spanContext().spanId, leave);
      span.end(Math.max(startMs, endMs));
      return { traceId, parentSpanId: span.spanContext().spanId };
    },
    async close() {
      const late = pause(sendMs, undefined, { ref: false });
      // A failed batch would end the shutdown while others are still in progress.
      const sent = provider.shutdown().catch(() => sender.forceFlush());
      await Promise.race([sent, late]);
      if (leaving.size > 0) warn({ spans: leaving.size }, 'could not send the last spans');
      isClosed = true;
      await cut();
    },
  };
}

/** Returns a collector's URL for traces. Keeps a URL that already contains the path. */
function tracesUrl(url: string): string {
  const address = new URL(url);
  const path = '/v1/traces';
  if (!address.pathname.endsWith(path)) address.pathname = address.pathname.replace(/\/?$/, path);
  return address.href;
}
