import type { Line } from './code-lines.ts';
import { kind } from './code-vocabulary.ts';
import { namesNoSecret } from './code-words.ts';

/** Words between a name and its number, as in `ending in 4829`. */
const namingWords = /^(?:in|on|mit|auf|en|con|par|na|med|på|[0-9])$/;

/** Tests for a number that another word names: `order 48213`. Ask `Line.isNamed`, which keeps the answers. */
export function isNamed(line: Line, place: number): boolean {
  const { tokens, text } = line;
  let numeral = false;
  let id = false;
  let linked = tokens[place]?.colon ?? false;
  for (let at = place - 1; at >= Math.max(0, place - 5); at -= 1) {
    const [token, next] = [tokens[at], tokens[at + 1]];
    if (token === undefined || next === undefined || next.breaks || line.announcement(at)) return false;
    if (/[,;，、]/.test(text.slice(token.end, next.start).slice(0, 8))) return id;
    if (token.kinds & kind.named) return numeral || !linked || !isAnnouncedBefore(line, at);
    if (at === place - 1 && !linked && token.kinds & kind.other) return true;
    if (token.kinds & kind.numeral) {
      numeral = true;
      id ||= namesNoSecret(token.word);
    } else if (token.kinds & kind.link) linked = true;
    else if (!(token.kinds & (kind.filler | kind.joiner)) && !namingWords.test(token.word)) return id;
    linked ||= token.colon;
  }
  return id;
}

/** Tests for an announcement before a word in its sentence, without another number between. */
function isAnnouncedBefore(line: Line, place: number): boolean {
  for (let at = place; at >= Math.max(0, place - 12); at -= 1) {
    const token = line.tokens[at];
    if (line.announcement(at)) return true;
    if (token === undefined || token.breaks || token.shape === 'digits') return false;
  }
  return false;
}
