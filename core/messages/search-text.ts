import type { NamedAddress } from './content.ts';

/** Longest piece that is folded at once: a pattern replaced millions of times in one string needs a lot of heap. */
const PIECE = 65_536;

/** What `q` looks in. `text` is the text body, or what stands for one. */
export type SearchFields = {
  subject: string;
  from: NamedAddress | null;
  recipients: NamedAddress[];
  text: string | null;
};

/** NFC, lower case, each run of white space one space: two texts that a reader calls the same fold alike. */
export function foldText(text: string): string {
  if (text.length <= PIECE) return foldPiece(text).trim();
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = cutAfter(text, start + PIECE);
    const piece = foldPiece(text.slice(start, end));
    pieces.push(piece.startsWith(' ') && pieces.at(-1)?.endsWith(' ') ? piece.slice(1) : piece);
    start = end;
  }
  return pieces.join('').trim();
}

/** The folded fields, one a line: as folding leaves no line break, no phrase crosses from one field to the next. */
export function searchText({ subject, from, recipients, text }: SearchFields): string {
  const people = from === null ? recipients : [from, ...recipients];
  const names = people.map(({ name, address }) => foldText(`${name} ${address}`));
  return [foldText(subject), ...names, foldText(text ?? '')].join('\n');
}

/**
 * By what a message is found among its owner's recipients beside those of its header: whom it was written to (a blind
 * copy's header does not say), and the address without its tag. Folded, one a line.
 */
export function envelopeText(target: {
  envelope: { rcptTo: string[] };
  deliveredTo: string;
  tag: string | null;
}): string {
  const { envelope, deliveredTo, tag } = target;
  const at = deliveredTo.lastIndexOf('@');
  const untagged =
    tag === null ? deliveredTo : deliveredTo.slice(0, at - tag.length - 1) + deliveredTo.slice(at);
  return [...new Set([...envelope.rcptTo, deliveredTo, untagged].map(foldText))].join('\n');
}

/** The words of a query, folded: what white space separates, a "quoted phrase" as one word. */
export function searchWords(query: string): string[] {
  const words = Array.from(query.matchAll(/"([^"]*)"|(\S+)/gu), ([, phrase, word]) => phrase ?? word ?? '');
  return words.map((word) => foldText(word.replaceAll('"', ''))).filter((word) => word !== '');
}

function foldPiece(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ');
}

/** The first place from `from` on, within a piece's length, where no character can be torn apart. */
function cutAfter(text: string, from: number): number {
  if (from >= text.length) return text.length;
  const space = text.slice(from, from + PIECE).search(/\s/u);
  if (space >= 0) return from + space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}
