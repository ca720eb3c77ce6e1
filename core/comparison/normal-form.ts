import type { MessageContent, MimePart } from '#core/messages/content.ts';
import { maskSpelled } from './codes.ts';
import type { ComparedPart, MaskKind } from './kinds.ts';
import { type Masked, Masks } from './masks.ts';

/**
 * Line of a normal form, and the place in the part that the line represents: a field, element, line or file. `facts` come after the text.
 * Only the user's expressions mask facts.
 */
export type NormalLine = { path: string; text: string; facts?: string };

/** Email as lines. Two emails from the same template have the same lines: the order of fields and attributes does not matter. */
export type NormalForm = Record<ComparedPart, NormalLine[]>;

type Content = Pick<MessageContent, 'headers' | 'structure' | 'text' | 'attachments'>;

/** Creates an email's normal form: header fields sorted by name, MIME types, lines of text, HTML tokens (`htmlLines`) and attachments. */
export function normalForm(content: Content, htmlLines: NormalLine[]): NormalForm {
  return {
    header: headerLines(content.headers),
    structure: typeLines(content.structure),
    text: textLines(content.text),
    html: htmlLines,
    attachments: content.attachments.map(({ filename, contentType, disposition, sizeBytes, sha256 }, at) => {
      const name = (filename ?? '').replace(/\s+/g, ' ').trim();
      const facts = `${contentType}, ${disposition}, ${sizeBytes} bytes, SHA-256 ${sha256}`;
      return { path: name || `attachment ${at + 1}`, text: name, facts: name === '' ? facts : ` ${facts}` };
    }),
  };
}

/** Replaces values of the masked kinds in a normal form. `codes` are the email's one-time codes. */
export function maskForm(
  form: NormalForm,
  kinds: readonly MaskKind[],
  codes: readonly string[],
): { form: NormalForm; masked: Masked } {
  const masks = new Masks(kinds, codes);
  const whole = (line: NormalLine) => ({ ...line, text: masks.text(line.text) });
  const code = () => masks.value('codes');
  const shown = (lines: NormalLine[]) => {
    return (masks.has('codes') ? maskSpelled(lines, codes, code) : lines).map(whole);
  };
  const masked: NormalForm = {
    header: form.header.map(({ path, text }) => {
      // One of the user's expressions may have replaced the field's name.
      const name = text.startsWith(`${path}: `) ? `${path}: ` : '';
      return { path, text: `${name}${masks.field(path, text.slice(name.length))}` };
    }),
    structure: form.structure,
    text: shown(form.text),
    html: shown(form.html),
    attachments: form.attachments.map(({ path, text, facts = '' }) => {
      const name = masks.text(text);
      return { path: text === path ? name || path : path, text: `${name}${facts}` };
    }),
  };
  return { form: masked, masked: masks.masked };
}

function headerLines(headers: MessageContent['headers']): NormalLine[] {
  const lines = headers.map(({ name, value }) => {
    const path = name.toLowerCase();
    return { path, text: `${path}: ${value.replace(/\s+/g, ' ').trim()}` };
  });
  // Fields with the same name keep their order because the sort is stable.
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
