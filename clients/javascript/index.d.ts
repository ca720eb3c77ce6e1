import type { Message } from './api.js';

export type { Message };

/** Server and key of a client. Defaults come from environment variables. */
export type Options = {
  /** Server's address. Default: `SANDPOST_URL`, or otherwise `http://localhost:8080`. */
  url?: string;
  /** API key. Default: `SANDPOST_API_KEY`. `sandpost dev` needs none. */
  key?: string;
  /** Domain of the addresses. Default: `SANDPOST_DOMAIN`, or otherwise the domain of the key's catch-all or capture account. */
  domain?: string;
};

/** Conditions, all of which an email must meet. A string matches part of the value, ignoring case. A pattern matches as written. */
export type Conditions = {
  subject?: string | RegExp;
  /** Sender's name or address. */
  from?: string | RegExp;
  /** Readable text of the email: its text, and its HTML as text. */
  text?: string | RegExp;
  /** Search query for the server, such as `has:attachment`. */
  q?: string;
  /** Trace id in the email's `traceparent`: 32 hexadecimal digits. */
  trace?: string;
  /** Matches only emails that arrived after this one. */
  after?: Mail;
};

/** Seconds to wait. */
export type Within = { within?: number };

/** Seconds to wait, and seconds after the wait in which no more mail may arrive. */
export type Waiting = Within & { settle?: number };

/** Kind of a link. */
export type LinkKind = Message['links'][number]['kind'];

/** Creates a client for a server. Sends no request. */
export function sandpost(options?: Options): Sandpost;

export interface Sandpost {
  /** Generates an unguessable address without `+` that begins with the name: `signup-3f9a2c71d0@app.test`. */
  inbox(name?: string): Promise<Inbox>;
}

/** A test's address. Contains the mail that arrived after the inbox was created. */
export interface Inbox {
  readonly address: string;
  /**
   * Waits up to 30 s for exactly one email. Rejects if no email arrives, listing the mail that arrived instead, or if several emails
   * arrive. To detect a second email that arrives later, set `settle`.
   */
  wait(conditions?: Conditions, options?: Waiting): Promise<Mail>;
  /** Waits 3 s. Rejects as soon as an email meets the conditions. */
  none(conditions?: Conditions & Within, options?: Within): Promise<void>;
  /**
   * Reads the emails that meet the conditions, newest first. If `count` is set, waits up to 30 s for exactly that many, and rejects if
   * fewer or more arrive. Rejects if more than 200 match.
   */
  mails(conditions?: Conditions, options?: Waiting & { count?: number }): Promise<Mail[]>;
}

/** An email with all of its content. */
export interface Mail {
  readonly id: number;
  readonly subject: string;
  /** Response of `GET /api/messages/{id}`. */
  readonly fields: Message;
  /** Returns the one-time code. Throws if the email has no code, or several different ones. */
  code(): string;
  /**
   * Returns the link of a kind, or the email's main link if no kind is given. If several links have this kind, returns the main link, or
   * otherwise the only link with its own text. Throws if there is no such link, or if several remain.
   */
  link(kind?: LinkKind): string;
  /**
   * Returns the content of the attachment whose name matches a pattern such as `*.pdf`, ignoring case. Throws unless exactly one matches.
   */
  attachment(pattern?: string | RegExp): Promise<Uint8Array>;
  /** Returns the HTML source. Throws if the email has no HTML, or more than 1 MiB. */
  html(): string;
  /** Returns what a reader sees: the text, then the lines that the HTML adds. Throws if the email has no text, or more than 1 MiB. */
  text(): string;
  /** Returns the email's bytes, as received. */
  raw(): Promise<Uint8Array>;
}

/** Error thrown if an email is missing or not as expected, or if the server did not respond. */
export class SandpostError extends Error {}
