import { structuredPatch } from 'diff';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import { serve } from '#adapters/threads/serve.ts';
import { type Comparison, compareForms, type DiffLines } from '#core/comparison/comparison.ts';
import type { MaskKind } from '#core/comparison/masks.ts';
import { type NormalForm, normalForm } from '#core/comparison/normal-form.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#gate/limits.ts';
import { htmlLines } from './html-lines.ts';

/** Origin of a mail of which only the bytes count. */
const arrival = {
  mailFrom: '',
  helo: null,
  remoteAddress: null,
  receivedBy: '',
  receivedAt: new Date(0),
  smtpUtf8: false,
  submitted: false,
};

const diffLines: DiffLines = (left, right) => {
  const textOf = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
  const bounds = { context: 3, timeout: limits.comparison.diffMs };
  return structuredPatch('', '', textOf(left), textOf(right), undefined, undefined, bounds)?.hunks ?? null;
};

async function formOf(bytes: Uint8Array, masks: MaskKind[], name: string): Promise<NormalForm> {
  const { content } = await parseMail(bytes, arrival);
  if (content.textTruncated || content.htmlTruncated)
    throw invalid(
      name,
      `has a text of over ${limits.answers.textBytes} bytes, which is not compared`,
      'answers.textBytes',
    );
  return normalForm(content, htmlLines(content.html ?? ''), masks);
}

/** Entry of the thread that compares mails. */
serve({
  async compare(left: Uint8Array, right: Uint8Array, masks: MaskKind[]): Promise<Comparison> {
    const forms = [await formOf(left, masks, 'left'), await formOf(right, masks, 'right')] as const;
    return compareForms(...forms, diffLines, limits.comparison);
  },
});
