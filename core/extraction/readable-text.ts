/** UTF-16 units of a text that the lines of the HTML are compared with. Lines that stand only behind them count as new. */
const comparedCharacters = 131_072;

/**
 * Returns the lines of the visible text of an HTML part that the text part does not have word for word, so that both together are all
 * that a reader sees, each line once. Null where there are none. Takes linear time.
 */
export function addedLines(text: string | null, seen: string | null): string | null {
  if (seen === null || seen === '') return null;
  if (text === null || text.trim() === '') return seen;
  const known = new Set<string>();
  addPairs(tokensOf(text.slice(0, comparedCharacters)), known);
  const added: string[] = [];
  for (const line of seen.split('\n')) {
    const tokens = tokensOf(line);
    // One empty line keeps paragraphs apart.
    const isNew = tokens.length > 0 ? !isKnown(tokens, known) : (added.at(-1) ?? '') !== '';
    if (isNew) added.push(line);
  }
  return added.length === 0 ? null : added.join('\n').trimEnd();
}

/** Joins a text part and what its HTML adds: all that a reader sees. Null where there is nothing. */
export function readableText(text: string | null, added: string | null): string | null {
  if (added === null) return text;
  return text === null || text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`;
}

const tokensOf = (text: string) => text.match(/\S+/gu) ?? [];

/** Adds words, and each two that stand beside each other. */
function addPairs(tokens: string[], known: Set<string>): void {
  for (const [at, token] of tokens.entries()) {
    known.add(token);
    const next = tokens[at + 1];
    if (next !== undefined) known.add(`${token} ${next}`);
  }
}

function isKnown(tokens: string[], known: Set<string>): boolean {
  if (tokens.length === 1) return tokens.every((token) => known.has(token));
  return tokens.every((token, at) => at === 0 || known.has(`${tokens[at - 1]} ${token}`));
}
