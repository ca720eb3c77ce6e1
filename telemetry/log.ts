import { type Logger, pino } from 'pino';
import { redact, reportError } from './redact.ts';

export type Log = Logger;

/**
 * Creates a log that writes JSON lines to standard output, formatted if that is a terminal. Mail addresses are logged, but mail content
 * and credentials are not: errors are reduced to a report, and texts are redacted.
 */
export function createLog(level: string): Log {
  const pretty = process.stdout.isTTY ? { transport: { target: 'pino-pretty' } } : {};
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: safeFields },
    // The report must stay as it is: pino's serializer would add properties of the error.
    serializers: { err: (report: unknown) => report },
    hooks: {
      logMethod(args, write) {
        const [first, ...rest] = args as unknown[];
        // If a line has no text, pino would use the error's message, which is not redacted.
        const fields = first instanceof Error ? { err: first } : first;
        const texts = rest.length === 0 && hasError(fields) ? [fields.err.message] : rest;
        const safe = [fields, ...texts].map((arg) => (typeof arg === 'string' ? redact(arg) : arg));
        write.apply(this, safe as Parameters<typeof write>);
      },
    },
    ...pretty,
  });
}

function hasError(fields: unknown): fields is { err: Error } {
  return typeof fields === 'object' && fields !== null && 'err' in fields && fields.err instanceof Error;
}

function safeFields(fields: Record<string, unknown>): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const name in fields) safe[name] = safeField(name, fields[name]);
  return safe;
}

function safeField(name: string, value: unknown): unknown {
  if (value instanceof Error || name === 'err') return reportError(value);
  return typeof value === 'string' ? redact(value) : value;
}
