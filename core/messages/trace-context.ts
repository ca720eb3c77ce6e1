import { limits } from '#core/limits.ts';

/**
 * Value of `traceparent` (W3C Trace Context section 3.2): version, trace-id, parent-id and flags, in lower case. Later versions may
 * append more fields after a hyphen.
 */
const traceparent =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]([0-9a-f])(?:$|(-))/;

const traceId = /^(?!0{32})[0-9a-f]{32}$/;

/** Trace of an email. `parentSpanId`: the span that sent the email, absent if the application does not record the trace. */
export type Trace = { traceId: string; parentSpanId?: string };

/** Span that sent an email, in a trace that is recorded. */
export type ParentSpan = Required<Trace>;

/**
 * Returns the trace that a header names, given the values of all its `traceparent` fields. Returns null if there is no such field, if it
 * is malformed, or if there are several, because then none can be trusted.
 */
export function traceOf(values: string[]): Trace | null {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0 || value.length > limits.messages.traceparentCharacters)
    return null;
  const [, version, traceId, parentSpanId, flags = '', more] = traceparent.exec(value) ?? [];
  if (traceId === undefined || (version === '00' && more !== undefined)) return null;
  const isSampled = Number.parseInt(flags, 16) % 2 === 1;
  return isSampled && parentSpanId !== undefined ? { traceId, parentSpanId } : { traceId };
}

/** Returns the span that sent an email with this content, or null if its trace is not recorded. */
export function parentOf({ traceId, parentSpanId }: Partial<Trace>): ParentSpan | null {
  return traceId === undefined || parentSpanId === undefined ? null : { traceId, parentSpanId };
}

/** Checks whether a string is a trace-id (W3C Trace Context section 3.2.2.3). */
export const isTraceId = (text: string): boolean => traceId.test(text);
