/** Answer of the DNS about a domain's MX: its hosts (lower case, no trailing dot), definitely none, or nothing reliable. */
export type MxAnswer =
  | { kind: 'hosts'; hosts: { priority: number; exchange: string }[] }
  | { kind: 'none'; detail: string }
  | { kind: 'unknown'; detail: string };

/** Queries the MX of `domain` as an absolute name. Never throws: a failure is `unknown`. */
export type MxResolver = { resolveMx(domain: string): Promise<MxAnswer> };
