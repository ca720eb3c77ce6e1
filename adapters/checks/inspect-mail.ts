import { readHtml } from '#adapters/mime/html-text.ts';
import type { Inspection, MailToInspect } from '#core/checks/check-message.ts';
import { checkContent } from '#core/checks/findings.ts';
import type { FeatureNames } from './feature-names.ts';
import { scanHtml } from './html-scan.ts';

/** Finds the features that a mail uses, and makes its findings. */
export function inspectMail(mail: MailToInspect, names: FeatureNames): Inspection {
  const html = mail.html === null ? null : scanHtml(mail.html, names);
  const seen = mail.html === null ? null : readHtml(mail.html);
  return {
    htmlBytes: html?.bytes ?? 0,
    uses: html?.uses ?? [],
    findings: checkContent({ ...mail, html, seen }),
  };
}
