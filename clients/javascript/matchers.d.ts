import type { LinkKind } from './index.js';

/** Parts of a mail that `toMatchMail` leaves out of the comparison. All of them by default. */
export type Mask = 'ids' | 'dates' | 'codes' | 'queries';

/**
 * Facts by which SPF, DKIM and DMARC judge a mail. `records` are by name and type: `{ 'shop.example': { TXT: ['v=spf1 …'] } }`. The DNS is
 * asked for others if `dns` is true. The envelope is that of the mail without `helo` and `mailFrom`.
 */
export interface AuthenticationFacts {
  clientIp: string;
  helo?: string;
  mailFrom?: string;
  records?: Record<string, Partial<Record<'TXT' | 'A' | 'AAAA' | 'MX' | 'PTR' | 'CNAME', string[]>>>;
  dns?: boolean;
}

/** Matchers for `expect(mail)`. */
export interface MailMatchers<Result = void> {
  /** Passes if the mail has a code, or this one. */
  toHaveCode(code?: string | RegExp): Result;
  /** Passes if the mail has a link, one of this kind, one with this URL, or one whose URL has this pattern. */
  toHaveLink(kindOrUrl?: LinkKind | (string & {}) | RegExp): Result;
  /** Passes if DMARC passes. */
  toPassDmarc(): Result;
  /** Passes if DMARC would pass with these facts, such as DNS records that are not published. */
  toPassDmarc(facts: AuthenticationFacts): Promise<void>;
  /**
   * Passes if the mail is like the golden file `mails/NAME.eml` beside the test. A missing one is written, and all are
   * written again by the runner's option for snapshots, such as `-u`. What `maskPatterns` match is left out, too, whatever
   * their flags.
   */
  toMatchMail(name: string, options?: { mask?: Mask[]; maskPatterns?: (string | RegExp)[] }): Promise<void>;
}
