import type { Report } from './report.ts';

/** Content of a message, read out of its raw bytes and its envelope once, at delivery, and never changed. */

/** A name and a bare address as a header spells them; `name` is '' where there is none. */
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
  /** Text of the Authentication-Results field that would be added, without its name. */
  header: string;
};

export type AuditCheck = { id: string; title: string; detail: string };
export type AuditChecks = Record<'critical' | 'warning' | 'info' | 'passed', AuditCheck[]>;

/** Transfer encodings that a body is decoded from. A body in any other is taken as it is. */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'identity';

/**
 * Attachment. `id` counts from 1 within the message. `sizeBytes` and `sha256` (hex) are those of the decoded bytes. `body`
 * is the range of its encoded bytes in the raw message, so that it can be cut out without parsing.
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

/** Node of the MIME tree. `sizeBytes` is the size of its encoded body. */
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

/** Request that a message came by, in the format of an e-mail provider: its head without the key, and its body, cut. */
export type Submission = { provider: string; request: string };

/** Folded texts that searches look in. `sender` is null where the header has none. `recipients` are one a line. */
export type SearchTexts = { subject: string; sender: string | null; recipients: string; text: string };

export type MessageContent = {
  /** Message-ID with its angle brackets; null where there is none. */
  msgid: string | null;
  subject: string;
  /** First 140 characters of the text, or of the HTML where the text stands in for it, white space folded. */
  intro: string;
  from: NamedAddress | null;
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  replyTo: NamedAddress[];
  date: Date | null;
  inReplyTo: string | null;
  references: string[];
  /** Text, cut to the bound of answers. */
  text: string | null;
  html: string | null;
  textTruncated: boolean;
  htmlTruncated: boolean;
  /** Lines that the HTML shows and the text lacks, cut. Absent without such lines, and in messages from before 0.3.0. */
  htmlText?: { added: string; truncated: boolean };
  headers: { name: string; value: string }[];
  attachments: Attachment[];
  structure: MimePart;
  authentication: Authentication;
  audit: AuditChecks;
  codes: Code[];
  links: Link[];
  /** Link that the mail is about. Absent in mail of earlier versions. */
  mainLink?: string | null;
  /** Trace that the mail is of (W3C Trace Context). Absent for most. */
  traceId?: string;
  /** Span that sent the mail. Absent where its trace is not recorded, and in mail of earlier versions. */
  parentSpanId?: string;
  /** Request to a provider API that the message came by, if any. */
  submission?: Submission;
  /** Report that the message is. Absent for most. */
  report?: Report;
  /** SMTP dialogue that brought the mail, as `transcript.ts` writes it. */
  transcript?: string;
  search: SearchTexts;
};

/** First code of a mail, and the link that the mail is about, as rows of lists show them. Null where there is none. */
export type Found = { code: string | null; mainLink: string | null };
