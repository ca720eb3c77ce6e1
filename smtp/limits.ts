/** What the listener grants; times in milliseconds, sizes in bytes. */
export type Limits = {
  connections: number;
  connectionsPerAddress: number;
  recipients: number;
  /** Received fields of one message; more of them mean a loop (RFC 5321 section 6.3). */
  hops: number;
  /** A command line with its CRLF. RFC 5321 section 4.5.3.1.4 asks for 512 and what the extensions add. */
  commandLine: number;
  /** Without a whole command (RFC 5321 section 4.5.3.2.7). */
  idleMs: number;
  /** A DATA phase in which less than `paceBytes` arrive within `paceMs` is broken off. */
  paceMs: number;
  paceBytes: number;
  /** How long mail that is under way may take to end once the listener closes. */
  drainMs: number;
};

export const defaultLimits: Limits = {
  connections: 1000,
  connectionsPerAddress: 50,
  recipients: 100,
  hops: 100,
  commandLine: 2048,
  idleMs: 300_000,
  paceMs: 60_000,
  paceBytes: 60 * 1024,
  drainMs: 20_000,
};
