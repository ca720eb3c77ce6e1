import type { Report } from './report.ts';

/** Content of a message, read from its raw bytes and its envelope once, at delivery, and never changed. */

/** Name and bare address as a header spells them; `name` is '' if the header has none. */
export type NamedAddress = { name: string; address: string };

/** Result words of RFC 8601 section 2.7. */
export const authResults = [
  'none',
  'neutral',
  'pass',
  'fail',
  'softfail',
  'policy',
  'temperror',
  'permerror',
] as const;
export type AuthResult = (typeof authResults)[number];

export type Authentication = {
  spf: { result: AuthResult; domain: string | null; explanation: string | null };
  dkim: {
    result: AuthResult;
    domain: string | null;
    selector: string | null;
    aligned: boolean;
    info: string | null;
  }[];
  dmarc: {
    result: AuthResult;
    domain: string | null;
    policy: string | null;
    alignedSpf: boolean;
    alignedDkim: boolean;
  };
  arc: { result: AuthResult };
  /** Text of the Authentication-Results field that would be added, without the field name. */
  header: string;
};

export type AuditCheck = { id: string; title: string; detail: string };
export type AuditChecks = Record<'critical' | 'warning' | 'info' | 'passed', AuditCheck[]>;

/** Transfer encodings that a body is decoded from. A body in any other encoding stays unchanged. */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'identity';

/**
 * Attachment. `id` counts from 1 within the message. `sizeBytes` and `sha256` (hex) apply to the decoded bytes. `body` is the
 * range of its encoded bytes in the raw message, which allows cutting it out without parsing.
 */
export type Attachment = {
  id: number;
  filename: string | null;
  contentType: string;
  sizeBytes: number;
  disposition: 'attachment' | 'inline';
  contentId: string | null;
  sha256: string;
  body: { start: number; end: number; encoding: TransferEncoding };
};

/** MIME tree node. `sizeBytes` is its encoded body's size. */
export type MimePart = {
  contentType: string;
  sizeBytes: number;
  filename: string | null;
  attachmentId: number | null;
  children: MimePart[];
};

export type Code = { value: string; source: 'header' | 'text' | 'html' | 'subject' };
export const linkKinds = ['verify', 'reset', 'login', 'invite', 'unsubscribe', 'other'] as const;
export type LinkKind = (typeof linkKinds)[number];
export type Link = { url: string; text: string; kind: LinkKind };

/** Request that a message arrived by, in an email provider's format: its head without the key, and its body, cut. */
export type Submission = { provider: string; request: string };

/** Folded texts that searches look in. `sender` is null if the header has none. `recipients` has one recipient per line. */
export type SearchTexts = { subject: string; sender: string | null; recipients: string; text: string };

export type MessageContent = {
  /** Message-ID with its angle brackets, or null. */
  msgid: string | null;
  subject: string;
  /** First 140 characters of the text, or of the HTML if the text is a stub, with white space folded. */
  intro: string;
  from: NamedAddress | null;
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  replyTo: NamedAddress[];
  date: Date | null;
  inReplyTo: string | null;
  references: string[];
  /** Text, cut to the limit for responses. */
  text: string | null;
  html: string | null;
  textTruncated: boolean;
  htmlTruncated: boolean;
  /** Lines that the HTML shows and the text lacks, cut. Absent if there are none, and in messages from before 0.3.0. */
  htmlText?: { added: string; truncated: boolean };
  headers: { name: string; value: string }[];
  attachments: Attachment[];
  structure: MimePart;
  authentication: Authentication;
  audit: AuditChecks;
  codes: Code[];
  links: Link[];
  /** Main link of the email. Absent in mail from earlier versions. */
  mainLink?: string | null;
  /** Trace that the email belongs to (W3C Trace Context). Usually absent. */
  traceId?: string;
  /** Span that sent the email. Absent if its trace is not recorded, and in mail from earlier versions. */
  parentSpanId?: string;
  /** Request to a provider API that the message arrived by, if any. */
  submission?: Submission;
  /** Report that the message is. Usually absent. */
  report?: Report;
  /** SMTP dialogue that delivered the email, as `transcript.ts` writes it. */
  transcript?: string;
  search: SearchTexts;
};

/** First code and main link of an email, as list rows show them, or null. */
export type Found = { code: string | null; mainLink: string | null };
