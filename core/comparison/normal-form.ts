import type { MessageContent, MimePart } from '#core/messages/content.ts';
import { codePattern, type MaskKind, maskField, maskText } from './masks.ts';

export const comparedParts = ['header', 'structure', 'text', 'html', 'attachments'] as const;
export type ComparedPart = (typeof comparedParts)[number];

/** Line of a normal form, and the place in the part that it stands for: a field, an element, a line or a file. */
export type NormalLine = { path: string; text: string };

/** Mail as lines that two mails of the same template have in common: the order of fields and attributes does not matter. */
export type NormalForm = Record<ComparedPart, NormalLine[]>;

type Content = Pick<MessageContent, 'headers' | 'structure' | 'text' | 'attachments' | 'codes'>;

/**
 * Makes the normal form of a mail: header fields sorted by name, MIME types, lines of the text, tokens of the HTML
 * (`htmlLines`) and attachments. Values of the masked kinds are replaced.
 */
export function normalForm(
  content: Content,
  htmlLines: NormalLine[],
  kinds: readonly MaskKind[],
): NormalForm {
  const codes = codePattern(content.codes.map(({ value }) => value));
  const masked = ({ path, text }: NormalLine) => ({ path, text: maskText(text, kinds, codes) });
  return {
    header: headerLines(content.headers, kinds, codes),
    structure: typeLines(content.structure),
    text: textLines(content.text).map(masked),
    html: htmlLines.map(masked),
    attachments: content.attachments.map(({ filename, contentType, disposition, sizeBytes, sha256 }, at) => {
      const name = maskText((filename ?? '').replace(/\s+/g, ' '), kinds, codes);
      const text = `${name} ${contentType}, ${disposition}, ${sizeBytes} bytes, SHA-256 ${sha256}`.trim();
      return { path: name || `attachment ${at + 1}`, text };
    }),
  };
}

function headerLines(
  headers: MessageContent['headers'],
  kinds: readonly MaskKind[],
  codes: RegExp,
): NormalLine[] {
  const lines = headers.map(({ name, value }) => {
    const path = name.toLowerCase();
    return { path, text: `${path}: ${maskField(path, value.replace(/\s+/g, ' ').trim(), kinds, codes)}` };
  });
  // Fields of one name keep their order, since the sort is stable.
  return lines.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function typeLines(part: MimePart, depth = 0): NormalLine[] {
  const line = { path: part.contentType, text: `${'  '.repeat(depth)}${part.contentType}` };
  return [line, ...part.children.flatMap((child) => typeLines(child, depth + 1))];
}

function textLines(text: string | null): NormalLine[] {
  if (text === null) return [];
  return text.split(/\r\n?|\n/).map((line, at) => ({ path: `line ${at + 1}`, text: line }));
}
