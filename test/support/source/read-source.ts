import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';

/** Place in a file, and its text. */
export type Found = { file: string; line: number; text: string };

/** Regular expressions of a file, spreads of a list as the arguments of a call, and whether the file makes expressions as it is loaded. */
export type Source = {
  literals: (Found & { pattern: string; flags: string })[];
  spreads: Found[];
  makesExpressions: boolean;
};

/** Methods whose arguments are items of a list: a call with many of them overflows the stack. */
const ofItems = new Set([
  'push',
  'unshift',
  'splice',
  'concat',
  'min',
  'max',
  'fromCharCode',
  'fromCodePoint',
]);

/** Reads a file of TypeScript. */
export function readSource(file: string): Source {
  const text = readFileSync(file, 'utf8');
  const found: Source = { literals: [], spreads: [], makesExpressions: false };
  const at = (node: { start: number; end: number }): Found => {
    return {
      file,
      line: text.slice(0, node.start).split('\n').length,
      text: text.slice(node.start, node.end),
    };
  };
  let depth = 0;
  const enter = () => {
    depth += 1;
  };
  const leave = () => {
    depth -= 1;
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.literals.push({ ...at(node), ...node.regex });
    },
    CallExpression(node) {
      const { callee, arguments: given } = node;
      const name =
        callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
          ? callee.property.name
          : '';
      if (ofItems.has(name) && given.some(({ type }) => type === 'SpreadElement'))
        found.spreads.push(at(node));
    },
    NewExpression({ callee }) {
      if (depth === 0 && callee.type === 'Identifier' && callee.name === 'RegExp')
        found.makesExpressions = true;
    },
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
  }).visit(parseSync(file, text).program);
  return found;
}

/** Tests for a comment at a place, or in the three lines before it, which says what bounds it. */
export function isBounded({ file, line }: Found): boolean {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.slice(Math.max(0, line - 4), line).some((text) => /(?:\/\/|\*).*\bBounded: /.test(text));
}
