import { type Logger, pino } from 'pino';

export type Log = Logger;

/** JSON lines on standard output, pretty ones on a terminal. Addresses of mail are told, its content and secrets never. */
export function createLog(level: string): Log {
  const pretty = process.stdout.isTTY ? { transport: { target: 'pino-pretty' } } : {};
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, ...pretty });
}
