import type MimeNode from 'nodemailer/lib/mime-node';
import type { ReportDraft } from '#core/failures/draft-reports.ts';

/** Types of a multipart/report by the type of its machine-readable part (RFC 6522). */
const reportTypes: Record<string, string> = { 'message/feedback-report': 'feedback-report' };

/**
 * Composes a report with nodemailer, which may not read files or open URLs. Takes 0.4 ms for one recipient, and 3 ms for a
 * thousand with an email of 64 KiB (measured), so it uses no thread. Imports nodemailer's composer with the first report.
 */
export async function composeReport({
  from,
  to,
  subject,
  inReplyTo,
  date,
  text,
  machine,
  returned,
}: ReportDraft): Promise<Uint8Array> {
  const reportType = reportTypes[machine?.contentType ?? ''] ?? 'delivery-status';
  const type = machine === null ? 'text/plain; charset=utf-8' : `multipart/report; report-type=${reportType}`;
  const bounds = { newline: 'windows', disableFileAccess: true, disableUrlAccess: true };
  const { default: Node } = await import('nodemailer/lib/mime-node');
  const root: MimeNode = new Node(type, bounds);
  root.setHeader({
    From: from,
    To: { name: '', address: to },
    Subject: subject,
    Date: date.toUTCString().replace('GMT', '+0000'),
    'Auto-Submitted': 'auto-replied',
    ...(inReplyTo === null ? {} : { 'In-Reply-To': inReplyTo, References: inReplyTo }),
  });
  if (machine === null) root.setContent(text);
  else {
    root.createChild('text/plain; charset=utf-8').setContent(text);
    addPart(root, machine.contentType, Buffer.from(machine.fields));
    if (returned !== null) addPart(root, returned.contentType, returned.bytes);
  }
  return Buffer.concat(await Array.fromAsync(root.createReadStream()));
}

/** Adds a part without encoding its bytes, unless it is text with non-ASCII octets or long lines. */
function addPart(root: MimeNode, contentType: string, bytes: Uint8Array): void {
  const encoding = bytes.every((octet) => octet < 0x80) ? '7bit' : '8bit';
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  root.createChild(contentType).setHeader('Content-Transfer-Encoding', encoding).setContent(content);
}
