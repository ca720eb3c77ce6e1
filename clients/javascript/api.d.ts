/** API responses, written by `node api/clients/write-types.ts` from the OpenAPI document. */

export type Message = {
  id: number;
  msgid: string | null;
  account_id: number;
  mailbox_id: number;
  subject: string;
  intro: string;
  code: string | null;
  main_link: string | null;
  thread_id: number | null;
  from_address: string;
  from_name: string | null;
  to_addresses: Array<string>;
  received_at: string;
  expires_at: string | null;
  size_bytes: number;
  is_read: boolean;
  is_flagged: boolean;
  tags: Array<string>;
  trace_id: string | null;
  has_attachments: boolean;
  envelope: Envelope;
  delivered_to: string;
  tag: string | null;
  from: {
    name: string;
    address: string;
  } | null;
  to: Array<Person>;
  cc: Array<Person>;
  bcc: Array<Person>;
  reply_to: Array<Person>;
  date: string | null;
  in_reply_to: string | null;
  references: Array<string>;
  text: string | null;
  html: string | null;
  html_text: string | null;
  text_truncated: boolean;
  html_truncated: boolean;
  html_text_truncated: boolean;
  headers: Array<HeaderField>;
  attachments: Array<Attachment>;
  spf: Spf;
  dkim: Array<Dkim>;
  dmarc: Dmarc;
  arc: Arc;
  structure: MimePart;
  audit: Audit;
  auto_delete: boolean;
  threadId: number | null;
  sourceUrl: string;
  downloadUrl: string;
  codes: Array<Code>;
  submission: Submission;
  sender: Sender;
  report: Report;
  links: Array<Link>;
};

export type Envelope = {
  mail_from: string;
  rcpt_to: Array<string>;
  helo: string | null;
  remote_address: string | null;
  tls: boolean;
  received_by: string;
  authenticated_as: {
    kind: "account" | "api_key";
    name: string;
  } | null;
  tls_info: {
    version: string;
    cipher: string;
    server_name: string | null;
  } | null;
  dsn: {
    ret: "FULL" | "HDRS" | null;
    envid: string | null;
    recipients: Array<{
      address: string;
      notify: Array<"NEVER" | "SUCCESS" | "FAILURE" | "DELAY">;
      orcpt: string | null;
    }>;
  } | null;
};

export type Person = {
  name: string;
  address: string;
};

export type HeaderField = {
  name: string;
  value: string;
};

export type Attachment = {
  id: number;
  filename: string | null;
  content_type: string;
  size_bytes: number;
  disposition: "attachment" | "inline";
  content_id: string | null;
  sha256: string;
  downloadUrl: string;
};

export type Spf = {
  result: "none" | "neutral" | "pass" | "fail" | "softfail" | "policy" | "temperror" | "permerror";
  domain: string | null;
  explanation: string | null;
};

export type Dkim = {
  result: "none" | "neutral" | "pass" | "fail" | "softfail" | "policy" | "temperror" | "permerror";
  domain: string | null;
  selector: string | null;
  aligned: boolean;
  info: string | null;
};

export type Dmarc = {
  result: "none" | "neutral" | "pass" | "fail" | "softfail" | "policy" | "temperror" | "permerror";
  domain: string | null;
  policy: string | null;
  aligned_spf: boolean;
  aligned_dkim: boolean;
};

export type Arc = {
  result: "none" | "neutral" | "pass" | "fail" | "softfail" | "policy" | "temperror" | "permerror";
};

export type MimePart = {
  content_type: string;
  size_bytes: number;
  filename: string | null;
  attachment_id: number | null;
  children: Array<MimePart>;
};

export type Audit = {
  message_id: string | null;
  size_bytes: number;
  authentication_results: string;
  checks: AuditChecks;
};

export type AuditChecks = {
  critical: Array<AuditCheck>;
  warning: Array<AuditCheck>;
  info: Array<AuditCheck>;
  passed: Array<AuditCheck>;
};

export type AuditCheck = {
  id: string;
  title: string;
  detail: string;
};

export type Code = {
  value: string;
  source: "header" | "text" | "html" | "subject";
};

export type Submission = {
  provider: string;
  request: string;
} | null;

export type Sender = {
  namespace: string;
  pod: string;
  workload: string | null;
} | null;

export type Report = {
  kind: "failed" | "delayed" | "delivered" | "autoreply" | "complaint";
  recipients: Array<{
    address: string;
    action: "failed" | "delayed" | "delivered" | "relayed" | "expanded" | null;
    status: string | null;
    diagnostic: string | null;
  }>;
} | null;

export type Link = {
  url: string;
  text: string;
  kind: "verify" | "reset" | "login" | "invite" | "unsubscribe" | "other";
};
