/**
 * Replaces the comments in a structured field's value with spaces (RFC 5322 section 3.2.2). Comments nest; an unclosed comment extends to
 * the end.
 */
export function withoutComments(value: string): string {
  if (!value.includes('(')) return value;
  const kept: string[] = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  for (let at = 0; at < value.length; at++) {
    const sign = value[at];
    if (sign === '\\') at += 1;
    else if (sign === '"' && depth === 0) quoted = !quoted;
    else if (quoted) continue;
    else if (sign === '(') {
      if (depth === 0) kept.push(value.slice(from, at), ' ');
      depth += 1;
    } else if (sign === ')' && depth > 0) {
      depth -= 1;
      if (depth === 0) from = at + 1;
    }
  }
  if (depth === 0) kept.push(value.slice(from));
  return kept.join('');
}
