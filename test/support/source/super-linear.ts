import type { AST } from '@eslint-community/regexpp';
import { isDisjointWith, JS, NFA } from 'refa';
import { analyse } from 'scslre';

/**
 * Returns the parts of an expression that make a search take more than linear time: quantifiers that exchange characters, or that
 * run to the end of a text from many places. `scslre` finds the first kind, and the second at the beginning of an expression.
 */
export function superLinearParts(source: string, flags: string): string[] {
  if (!/[*+]|\{\d+,\}/.test(source)) return [];
  const literal = { source, flags };
  const parser = JS.Parser.fromLiteral(literal);
  const rest = restOf(parser.ast);
  const found = analyse(literal).reports.flatMap((report) => {
    const quantifier = report.type === 'Trade' ? report.endQuant : report.quant;
    const isRest = rest?.start === quantifier.start && rest.end === quantifier.end;
    return isRest && !report.exponential ? [] : [quantifier.raw];
  });
  return [...new Set([...found, ...restarts(parser, flags, rest)])];
}

/** Returns the `.*` that matches the rest of a text (`.*$` with the flag s). Whatever follows it always matches. */
function restOf({ pattern, flags }: JS.RegexppAst): AST.Quantifier | null {
  const [alternative, another] = pattern.alternatives;
  if (alternative === undefined || another !== undefined || !flags.dotAll || flags.multiline) return null;
  const [before, last] = alternative.elements.slice(-2);
  if (last?.type !== 'Assertion' || last.kind !== 'end') return null;
  const inner = before?.type === 'CapturingGroup' ? before.alternatives[0]?.elements : [before];
  const [only, more] = inner ?? [];
  return only?.type === 'Quantifier' && only.raw === '.*' && more === undefined ? only : null;
}

/**
 * Finds unbounded quantifiers that also match what precedes them in the expression, and that something must follow: `foo=[^;]*;`.
 * Each repetition of the preceding text starts a search to the end of the text.
 */
function restarts(parser: JS.Parser, flags: string, rest: AST.Quantifier | null): string[] {
  if (flags.includes('y')) return [];
  const found: string[] = [];
  const judge = (quantifier: AST.Quantifier, before: AST.Element[]) => {
    const isAtStart = before.some((element) => element.type === 'Assertion' && element.kind === 'start');
    if ((isAtStart && !flags.includes('m')) || before.length === 0) return;
    const prefix = join([
      nfaOfText('[^]*', flags),
      ...(isAtStart ? [nfaOfText('[\\n\\r\\u2028\\u2029]', flags)] : []),
      ...before.flatMap((one) => nfaOf(parser, one)),
    ]);
    const [body] = nfaOf(parser, quantifier);
    if (prefix !== null && body !== undefined && !isDisjointWith(prefix, body)) found.push(quantifier.raw);
  };
  const walk = (alternatives: AST.Alternative[], outer: AST.Element[], mayEnd: boolean) => {
    for (const { elements } of alternatives) {
      for (const [at, element] of elements.entries()) {
        const before = [...outer, ...elements.slice(0, at)];
        const endsHere = mayEnd && elements.slice(at + 1).every(canBeEmpty);
        if (element.type === 'Quantifier' && element.max === Number.POSITIVE_INFINITY) {
          if (element !== rest && !endsHere) judge(element, before);
        } else if (element.type === 'Group' || element.type === 'CapturingGroup') {
          walk(element.alternatives, before, endsHere);
        }
      }
    }
  };
  walk(parser.ast.pattern.alternatives, [], true);
  return found;
}

/** Checks whether an element can match an empty string. */
function canBeEmpty(element: AST.Element): boolean {
  switch (element.type) {
    case 'Quantifier':
      return element.min === 0 || canBeEmpty(element.element);
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) => elements.every(canBeEmpty));
    case 'Assertion':
      return element.kind === 'word';
    default:
      return false;
  }
}

function nfaOfText(source: string, flags: string): NFA {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse();
  return NFA.fromRegex(expression, { maxCharacter });
}

function nfaOf(parser: JS.Parser, element: AST.Element): NFA[] {
  if (element.type === 'Assertion') return [];
  const options = { assertions: 'disable', backreferences: 'disable' } as const;
  const { expression, maxCharacter } = parser.parseElement(element, options);
  return [NFA.fromRegex(expression, { maxCharacter })];
}

function join(parts: NFA[]): NFA | null {
  const [first, ...others] = parts;
  for (const part of others) first?.append(part);
  return first ?? null;
}
