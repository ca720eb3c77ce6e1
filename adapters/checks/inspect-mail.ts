import { readHtml } from '#adapters/mime/html-text.ts';
import type { Inspection, MailToInspect } from '#core/checks/check-message.ts';
import { checkContent } from '#core/checks/findings.ts';
import { createClientTable } from './client-table.ts';
import { FeatureNames } from './feature-names.ts';
import { scanHtml } from './html-scan.ts';

const names = new FeatureNames(createClientTable().features.values());

/** Finds an email's features, and creates its findings. */
export function inspectMail(source: string | null, mail: MailToInspect): Inspection {
  const html = source === null ? null : scanHtml(source, names);
  const seen = source === null ? null : readHtml(source);
  const findings = checkContent({ ...mail, html, seen });
  return { htmlBytes: html?.bytes ?? 0, uses: html?.uses ?? [], findings };
}
