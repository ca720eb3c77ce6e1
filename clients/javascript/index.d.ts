import type { Message } from './api.js';

export type { Message };

/** Server and key of a client. Each is taken from the environment if it is left out. */
export type Options = {
  /** Address of the server: `SANDPOST_URL`, else `http://localhost:8080`. */
  url?: string;
  /** API key: `SANDPOST_API_KEY`. `sandpost dev` needs none. */
  key?: string;
  /** Domain of the addresses: `SANDPOST_DOMAIN`, else that of a catch-all account or of the capture account of the key. */
  domain?: string;
};

/** Conditions on a mail, which must all hold. A text is looked for in any case, a pattern as it is. */
export type Conditions = {
  subject?: string | RegExp;
  /** Name or address of the sender. */
  from?: string | RegExp;
  /** Readable text of the mail: its text, and its HTML as text. */
  text?: string | RegExp;
  /** Search in the language of the server, such as `has:attachment`. */
  q?: string;
  /** Trace of the mail: the trace-id of its `traceparent`, 32 hexadecimal digits. */
  trace?: string;
  /** Only mail that came later than this one. */
  after?: Mail;
};

/** Seconds of a wait. */
export type Within = { within?: number };

/** Seconds of a wait, and those after it in which no further mail may come. */
export type Waiting = Within & { settle?: number };

/** Kind of a link. */
export type LinkKind = Message['links'][number]['kind'];

/** Makes a client of a server. Sends no request. */
export function sandpost(options?: Options): Sandpost;

export interface Sandpost {
  /** Makes an address that nobody can guess, without `+`, which begins with the name: `signup-3f9a2c71d0@app.test`. */
  inbox(name?: string): Promise<Inbox>;
}

/** Address of one test. Sees the mail that came to it since it was made. */
export interface Inbox {
  readonly address: string;
  /**
   * Waits up to 30 s for exactly one mail. Rejects on none, with those that came instead, and on several. A second one that comes later is
   * noticed with `settle` alone.
   */
  wait(conditions?: Conditions, options?: Waiting): Promise<Mail>;
  /** Waits 3 s. Rejects as soon as there is a mail for which the conditions hold. */
  none(conditions?: Conditions & Within, options?: Within): Promise<void>;
  /**
   * Reads the mails for which the conditions hold, the newest first: those that are there, or with `count` exactly as many, for which it
   * waits up to 30 s. Rejects on another number, and on more than 200.
   */
  mails(conditions?: Conditions, options?: Waiting & { count?: number }): Promise<Mail[]>;
}

/** Mail that was read whole. */
export interface Mail {
  readonly id: number;
  readonly subject: string;
  /** Answer of `GET /api/messages/{id}`. */
  readonly fields: Message;
  /** Returns the one-time code. Throws if there is none, or several that differ. */
  code(): string;
  /**
   * Returns the link of a kind, or without a kind the one that the mail is about. Of several of the kind, it is the main link of the mail,
   * or the only one with a text of its own. Throws if there is none, or no single one.
   */
  link(kind?: LinkKind): string;
  /** Returns the content of the attachment with a name like `*.pdf`, in any case. Throws if there is none, or several. */
  attachment(pattern?: string | RegExp): Promise<Uint8Array>;
  /** Returns the source of the HTML. Throws if there is none, or more than 1 MiB. */
  html(): string;
  /** Returns what a reader sees: the text, then the lines that the HTML adds to it. Throws if there is none, or more than 1 MiB. */
  text(): string;
  /** Returns the bytes of the mail as they were received. */
  raw(): Promise<Uint8Array>;
}

/** Mail that is missing or not as it was wanted, or a server that does not answer. */
export class SandpostError extends Error {}
