import type { LinkKind } from './index.js';

/** Parts of an email that `toMatchMail` does not compare. Default: all of them. */
export type Mask = 'ids' | 'dates' | 'codes' | 'queries';

/**
 * Facts for evaluating SPF, DKIM and DMARC. `records` lists DNS records by name and type: `{ 'shop.example': { TXT: ['v=spf1 …'] } }`. If
 * `dns` is true, Sandpost queries DNS for other records. Defaults for `helo` and `mailFrom` come from the email's envelope.
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
  /** Passes if the email has any code, or this code. */
  toHaveCode(code?: string | RegExp): Result;
  /** Passes if the email has a link: any link, a link of this kind, a link with this URL, or a link whose URL matches this pattern. */
  toHaveLink(kindOrUrl?: LinkKind | (string & {}) | RegExp): Result;
  /** Passes if DMARC passes. */
  toPassDmarc(): Result;
  /** Passes if DMARC would pass with these facts, such as DNS records that you have not published. */
  toPassDmarc(facts: AuthenticationFacts): Promise<void>;
  /**
   * Passes if the email matches the golden file `mails/NAME.eml` next to the test. Writes the file if it is missing. The runner's option
   * for updating snapshots, such as `-u`, rewrites all golden files. Also ignores matches of `maskPatterns`, whatever their flags.
   */
  toMatchMail(name: string, options?: { mask?: Mask[]; maskPatterns?: (string | RegExp)[] }): Promise<void>;
}
