import {
  type ComposeReport,
  chooseReported,
  draftReports,
  type ReportDraft,
} from '#core/failures/draft-reports.ts';
import { limits } from '#core/limits.ts';
import type { MailExaminer } from '#core/messages/examine.ts';
import { type AcceptedRecipient, acceptOrCapture, type CapturePorts } from './accept-recipient.ts';
import type { Body, PreparedMail } from './delivery.ts';
import { type ArrivedMail, examineMail } from './prepare-mail.ts';

export type ReportPorts = CapturePorts & { examiner: MailExaminer; composeReport: ComposeReport };

/**
 * Prepares up to `most` reports that failures request on an email. The reports go to the envelope sender if that is an address of the
 * recipients' team, or if the team captures mail to it through `everybody`. Does nothing if the email has no reports. Throws what the
 * store and the examiner throw.
 */
export async function prepareReports(
  ports: ReportPorts,
  mail: ArrivedMail,
  { msgid, subject }: Pick<PreparedMail, 'msgid' | 'subject'>,
  body: Body,
  most = Number.POSITIVE_INFINITY,
): Promise<PreparedMail[]> {
  const chosen = chooseReported(mail);
  if (chosen.length === 0 || most === 0) return [];
  // Ignores the setting captureAddress, because the account that it names may belong to another team.
  const sender = await acceptOrCapture({ ...ports, captureAddress: null }, mail.mailFrom, 0, null);
  if ('refusal' in sender) return [];
  const own = new Set(
    mail.recipients.flatMap(({ owner, address }) => (owner === sender.owner ? address : [])),
  );
  const reported = chosen.filter(({ address }) => own.has(address));
  if (reported.length === 0) return [];
  const beginning = await beginningOf(body, limits.reports.returnedBytes);
  const sizeBytes = 'bytes' in body ? body.bytes.length : body.raw.sizeBytes;
  const drafts = draftReports(mail, reported, { msgid, subject, sizeBytes, beginning });
  return Promise.all(drafts.slice(0, most).map((draft) => prepareReport(ports, mail, sender, draft)));
}

async function prepareReport(
  { examiner, composeReport }: ReportPorts,
  { receivedBy, receivedAt }: ArrivedMail,
  sender: AcceptedRecipient,
  draft: ReportDraft,
): Promise<PreparedMail> {
  const report: ArrivedMail = {
    ...{ mailFrom: '', helo: null, remoteAddress: null, tls: null, dsn: null, submitter: null },
    ...{ receivedBy, receivedAt, smtpUtf8: true, submitted: true, recipients: [sender] },
  };
  return examineMail(examiner, report, { bytes: await composeReport(draft) });
}

async function beginningOf(body: Body, most: number): Promise<Uint8Array> {
  if ('bytes' in body) return body.bytes.subarray(0, most);
  const pieces: Uint8Array[] = [];
  const end = Math.min(most, body.raw.sizeBytes);
  for await (const piece of body.raw.open({ start: 0, end })) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces).subarray(0, most);
}
