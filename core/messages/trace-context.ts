import { limits } from '#core/limits.ts';

/**
 * Value of `traceparent` (W3C Trace Context section 3.2): version, trace-id, parent-id and flags, in lower case. Later versions may
 * have more behind a hyphen.
 */
const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|(-))/;

const traceId = /^(?!0{32})[0-9a-f]{32}$/;

/**
 * Returns the trace that a header names, of the values of all its fields `traceparent`. Null for none, a malformed one, or several,
 * of which none can be trusted.
 */
export function traceOf(values: string[]): string | null {
  const [value, ...others] = values;
  if (value === undefined || others.length > 0 || value.length > limits.messages.traceparentCharacters)
    return null;
  const [, version, id = null, more] = traceparent.exec(value) ?? [];
  return version === '00' && more !== undefined ? null : id;
}

/** Checks whether a text is a trace-id (W3C Trace Context section 3.2.2.3). */
export const isTraceId = (text: string): boolean => traceId.test(text);
