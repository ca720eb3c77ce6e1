import { setTimeout as pause } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
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

/** Times of a work in milliseconds since 1970. */
export type Times = { startMs: number; endMs: number };

/** Work that has ended, of a team. It has ids, sizes and results, but no text of a mail. */
export type Work = Times & {
  name: 'receive' | 'examine' | 'commit' | 'first read';
  parent: ParentSpan;
  team: Id;
  failed?: boolean;
  attributes: Record<string, string | number | number[]>;
};

export type Tracer = {
  /** Makes a span, to be sent later, and returns it as a parent. Null where too many wait to be sent. */
  record(work: Work): ParentSpan | null;
  /** Sends what waits, within a time. */
  close(): Promise<void>;
};

type Ports = {
  metrics: Pick<Metrics, 'limitReached' | 'spansLost'>;
  /** Writes a line of the log. */
  warn(fields: object, text: string): void;
};

/**
 * Opens a tracer that sends spans to a collector by OTLP over HTTP, in protobuf. Nobody waits for it: spans that the collector does
 * not take in time are lost and counted. The variables `OTEL_…` of the packages add headers, time limits and attributes.
 */
export function openTracer(url: string, { metrics, warn }: Ports): Tracer {
  const { waiting, waitingOfTeam, sendMs } = limits.spans;
  const all = new Slots(waiting);
  const byTeam = new Slots<Id>(waitingOfTeam);
  /** Functions that free the slots of spans which wait to be sent, by their ids. */
  const leaving = new Map<string, () => void>();
  const hasTimeout = process.env.OTEL_EXPORTER_OTLP_TIMEOUT || process.env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT;
  const sender = new OTLPTraceExporter({
    url: tracesUrl(url),
    concurrencyLimit: 4,
    // The packages try again within this time, which delays the end of the process.
    ...(!hasTimeout && { timeoutMillis: sendMs }),
  });
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
        'the collector of SANDPOST_OTLP_URL did not accept spans; they are lost until it does',
      );
    isAway = error !== undefined;
  };
  const exporter: SpanExporter = {
    export(spans, done) {
      const ids = spans.map((span) => span.spanContext().spanId);
      sender.export(spans, (result) => {
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
        maxExportBatchSize: 256,
        scheduledDelayMillis: 1_000,
      }),
    ],
  });
  const tracer = provider.getTracer('sandpost', programVersion);

  /** Takes a slot of the team, and one of all. Returns the function that frees both, or null. */
  const enter = (team: Id): (() => void) | null => {
    const leaveTeam = byTeam.take(team);
    const leave = leaveTeam && all.take('');
    if (leave !== null)
      return () => {
        leave();
        leaveTeam?.();
      };
    metrics.limitReached(leaveTeam === null ? 'spans.waitingOfTeam' : 'spans.waiting');
    leaveTeam?.();
    return null;
  };

  return {
    record({ name, parent, team, startMs, endMs, failed, attributes }) {
      const leave = enter(team);
      if (leave === null) return null;
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
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      if (leaving.size > 0) warn({ spans: leaving.size }, 'the last spans could not be sent');
    },
  };
}

/** Returns the address for traces of a collector. One that has the path already is kept. */
function tracesUrl(url: string): string {
  const address = new URL(url);
  const path = '/v1/traces';
  if (!address.pathname.endsWith(path)) address.pathname = address.pathname.replace(/\/?$/, path);
  return address.href;
}
