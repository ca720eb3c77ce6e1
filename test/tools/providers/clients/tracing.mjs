// Instruments fetch and http by OpenTelemetry, and prints the trace of each span that ends.
import { register } from 'node:module';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

// The hook for all modules breaks circular imports of ES modules, as @getbrevo/brevo has them.
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url, { data: { include: ['http', 'https'] } });

const printer = {
  export(spans, done) {
    for (const span of spans) console.log(span.spanContext().traceId);
    done({ code: 0 });
  },
  shutdown: async () => {},
};
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(printer)] }).register();
registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation()] });
