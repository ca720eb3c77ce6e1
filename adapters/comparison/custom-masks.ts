import { patternFault, timedPatterns } from '#adapters/timed-patterns.ts';
import { PatternFault } from '#core/assertions/evaluate.ts';
import type { NormalForm, NormalLine } from '#core/comparison/normal-form.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';

/** Replaces an expression's matches, except empty matches. */
function replaceAll(pattern: string, texts: string[]): { texts: string[]; count: number } {
  let count = 0;
  const replace = (found: string) => {
    if (found === '') return '';
    count += 1;
    return '[masked]';
  };
  const expression = new RegExp(pattern, 'gu');
  return { texts: texts.map((text) => text.replace(expression, replace)), count };
}

/**
 * Returns a function that replaces and counts what a user's expressions match in a form's lines. Header field values are separate lines.
 * Throws Invalid for an expression that is invalid or takes too long.
 */
export function customMasks(patterns: string[]): (form: NormalForm) => { form: NormalForm; count: number } {
  for (const [at, pattern] of patterns.entries()) {
    const fault = patternFault(pattern);
    if (fault !== null) throw invalid(`mask_patterns.${at}`, fault);
  }
  const timed = timedPatterns(limits.comparison);
  return (form) => {
    const lines = [form.header, form.text, form.html, form.attachments].flat();
    const named = new Set(form.header);
    const nameOf = (line: NormalLine) => (named.has(line) ? `${line.path}: `.length : 0);
    let texts = [
      ...lines.map((line) => line.text.slice(nameOf(line))),
      ...form.attachments.map(({ facts = '' }) => facts),
    ];
    let count = 0;
    for (const [at, pattern] of patterns.entries()) {
      try {
        const replaced = timed(() => replaceAll(pattern, texts));
        texts = replaced.texts;
        count += replaced.count;
      } catch (error) {
        if (error instanceof PatternFault) throw invalid(`mask_patterns.${at}`, error.message);
        throw error;
      }
    }
    const masked = new Map(
      lines.map((line, at) => [line, `${line.text.slice(0, nameOf(line))}${texts[at]}`]),
    );
    const facts = texts.slice(lines.length);
    const withTexts = (part: NormalLine[]) =>
      part.map((line) => ({ ...line, text: masked.get(line) ?? line.text }));
    return {
      form: {
        header: withTexts(form.header),
        structure: form.structure,
        text: withTexts(form.text),
        html: withTexts(form.html),
        attachments: withTexts(form.attachments).map((line, at) => ({ ...line, facts: facts[at] ?? '' })),
      },
      count,
    };
  };
}
