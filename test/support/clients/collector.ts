import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { until } from '#test/support/runner/until.ts';

/** Span as a collector receives it: IDs in hexadecimal, times in nanoseconds, and its resource's attributes in addition to its own. */
export type ReceivedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  start: bigint;
  end: bigint;
  failed: boolean;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
};

/** OpenTelemetry collector: receives spans by OTLP over HTTP, in protobuf. */
export type Collector = {
  url: string;
  spans: ReceivedSpan[];
  /** Requests received so far. */
  requests: { path: string; headers: IncomingMessage['headers']; body: Buffer }[];
  /** Answers the next requests in place of the collector. */
  answer: ((response: ServerResponse) => void) | null;
  /** Waits until the collector has this many spans of a trace, and returns them by name. */
  ofTrace(traceId: string, count: number): Promise<Record<string, ReceivedSpan>>;
  stop(): Promise<void>;
};

export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    collector.requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (collector.answer !== null) return collector.answer(response);
    collector.spans.push(...spansOf(body));
    return response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    spans: [],
    requests: [],
    answer: null,
    async ofTrace(traceId, count) {
      const found = () => collector.spans.filter((span) => span.traceId === traceId);
      await until(() => found().length >= count);
      return Object.fromEntries(found().map((span) => [span.name, span]));
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return collector;
}

type Field = Buffer | bigint;
type Message = Map<number, Field[]>;

/** Reads a protobuf message: each field's values by field number. */
function messageOf(bytes: Field | undefined): Message {
  const message: Message = new Map();
  if (!Buffer.isBuffer(bytes)) return message;
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const kind = tag & 7;
    const length = kind === 2 ? Number(varint()) : kind === 1 ? 8 : kind === 5 ? 4 : 0;
    const part = bytes.subarray(at, at + length);
    at += length;
    const value = kind === 0 ? varint() : kind === 2 ? part : part.readUIntLE(0, 4);
    const whole = kind === 1 ? part.readBigUInt64LE() : typeof value === 'number' ? BigInt(value) : value;
    const values = message.get(tag >> 3) ?? [];
    message.set(tag >> 3, [...values, whole]);
  }
  return message;
}

const all = (message: Message, field: number): Message[] => (message.get(field) ?? []).map(messageOf);
const text = (message: Message, field: number, encoding: BufferEncoding = 'utf8'): string => {
  const value = message.get(field)?.[0];
  return Buffer.isBuffer(value) ? value.toString(encoding) : '';
};

/** Reads the spans of an ExportTraceServiceRequest (opentelemetry/proto/collector/trace/v1). */
function spansOf(body: Buffer): ReceivedSpan[] {
  return all(messageOf(body), 1).flatMap((group) => {
    const [resource = new Map()] = all(group, 1);
    return all(group, 2).flatMap((scope) =>
      all(scope, 2).map((span) => ({
        name: text(span, 5),
        traceId: text(span, 1, 'hex'),
        spanId: text(span, 2, 'hex'),
        parentSpanId: text(span, 4, 'hex'),
        start: numberOf(span, 7),
        end: numberOf(span, 8),
        failed: all(span, 15).some((status) => numberOf(status, 3) === 2n),
        attributes: attributesOf(span, 9),
        resource: attributesOf(resource, 1),
      })),
    );
  });
}

function numberOf(message: Message, field: number): bigint {
  const value = message.get(field)?.[0];
  return typeof value === 'bigint' ? value : 0n;
}

function attributesOf(message: Message, field: number): Record<string, unknown> {
  return Object.fromEntries(
    all(message, field).map((pair) => [text(pair, 1), anyValue(messageOf(pair.get(2)?.[0]))]),
  );
}

/** Returns an AnyValue's value: text, a number or a list. */
function anyValue(value: Message): unknown {
  if (value.has(1)) return text(value, 1);
  if (value.has(5)) return all(messageOf(value.get(5)?.[0]), 1).map(anyValue);
  const double = value.get(4)?.[0];
  if (typeof double === 'bigint') return Buffer.from(new BigUint64Array([double]).buffer).readDoubleLE();
  return Number(numberOf(value, 3));
}
