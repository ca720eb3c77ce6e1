/** What the DNS says about a domain's MX: its hosts (lower case, no trailing dot), definitely none, or nothing that can be relied on. */
export type MxAnswer =
  | { kind: 'hosts'; hosts: { priority: number; exchange: string }[] }
  | { kind: 'none'; detail: string }
  | { kind: 'unknown'; detail: string };

/** Asks the DNS, as an absolute name. Never throws: trouble is `unknown`. */
export type MxResolver = { resolveMx(domain: string): Promise<MxAnswer> };
