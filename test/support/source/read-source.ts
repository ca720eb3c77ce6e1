import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';

/** Location in a file, and its text. */
export type Found = { file: string; line: number; text: string };

/** Regular expressions in a file, spreads of lists into call arguments, and whether the file creates expressions while loading. */
export type Source = {
  literals: (Found & { pattern: string; flags: string })[];
  spreads: Found[];
  makesExpressions: boolean;
};

/** Methods whose arguments are a list's items: a call with many items overflows the stack. */
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

/** Reads a TypeScript file. */
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

/** Checks whether a comment at a location, or within three lines before it, names a bound. */
export function isBounded({ file, line }: Found): boolean {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.slice(Math.max(0, line - 4), line).some((text) => /(?:\/\/|\*).*\bBounded: /.test(text));
}
