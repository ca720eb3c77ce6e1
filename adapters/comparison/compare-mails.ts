import { structuredPatch } from 'diff';
import { type ParsedMail, parseMail } from '#adapters/mime/mail-parser.ts';
import { inTurn } from '#adapters/threads/time-limit.ts';
import type { Masking } from '#core/comparison/compare-mails.ts';
import { type Comparison, compareForms, type DiffLines } from '#core/comparison/comparison.ts';
import { type Masked, noMasks } from '#core/comparison/masks.ts';
import { maskForm, type NormalForm, normalForm } from '#core/comparison/normal-form.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { customMasks } from './custom-masks.ts';
import { htmlLines } from './html-lines.ts';

/** Placeholder origin for an email of which only the bytes count. */
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

type Mail = { form: NormalForm; codes: string[] };

function formOf({ content }: ParsedMail, name: string): Mail {
  if (content.textTruncated || content.htmlTruncated)
    throw invalid(
      name,
      `has more than ${limits.answers.textBytes} bytes of text, which is too much to compare`,
      'answers.textBytes',
    );
  const form = normalForm(content, htmlLines(content.html ?? ''));
  return { form, codes: content.codes.map(({ value }) => value) };
}

/** Returns the larger of two counts for each kind. */
function mostOf(left: Masked, right: Masked): Masked {
  const most = noMasks();
  for (const kind of Object.keys(most) as (keyof Masked)[]) most[kind] = Math.max(left[kind], right[kind]);
  return most;
}

/** Compares the normal forms of two emails. Throws Invalid for an email with too much text, or for an invalid expression. */
export async function compareMails(
  left: Uint8Array,
  right: Uint8Array,
  masking: Masking,
): Promise<Comparison> {
  const mails = [await parseMail(left, arrival), await parseMail(right, arrival)] as const;
  return inTurn(() => compareParsed(mails, masking));
}

function compareParsed(
  [left, right]: readonly [ParsedMail, ParsedMail],
  { kinds, patterns }: Masking,
): Comparison {
  const mails = [formOf(left, 'left'), formOf(right, 'right')] as const;
  const maskOwn = customMasks(patterns);
  const [one, other] = mails.map(({ form, codes }) => {
    const own = maskOwn(form);
    const { form: masked, masked: counts } = maskForm(own.form, kinds, codes);
    return { form: masked, masked: { ...counts, patterns: own.count } };
  });
  if (one === undefined || other === undefined) throw new Error('a comparison needs two emails');
  const compared = compareForms(one.form, other.form, diffLines, limits.comparison);
  return { ...compared, masked: mostOf(one.masked, other.masked) };
}
