/** CommonJS function. */
const load = 'require';

/**
 * Converts an ES module of the JavaScript client to CommonJS, which Jest without further options and Node before 20.19 need. Supports the
 * forms that the client uses, and throws an error for any other form.
 */
export function toCommonJs(source: string): string {
  const exported: string[] = [];
  const body = source
    // Bounded: this project's sources.
    .replace(/^import (\{[^}]*\}|\w+) from '([^']+)';$/gm, (_, names: string, from: string) => {
      return `const ${names.replaceAll(' as ', ': ')} = ${load}('${asCommonJs(from)}');`;
    })
    .replace(/^export ((?:async )?function\*? |class |const )(\w+)/gm, (_, form: string, name: string) => {
      exported.push(name);
      return `${form}${name}`;
    })
    .replace(/^export \{ (\w+) \};$/gm, (_, name: string) => {
      exported.push(name);
      return '';
    });
  const [unknown] = /^(import|export)\b.*/m.exec(body) ?? [];
  if (unknown !== undefined) throw new Error(`the conversion to CommonJS does not support: ${unknown}`);
  return `'use strict';\n\n${body}\nmodule.exports = { ${exported.join(', ')} };\n`;
}

/** Converts a module's types. The modules to which they refer have CommonJS types, too. */
export function typesOfCommonJs(source: string): string {
  return source.replace(/(from |import\()'(\.[^']+)'/g, (_, word: string, from: string) => {
    return `${word}'${asCommonJs(from)}'`;
  });
}

const asCommonJs = (from: string) => (from.startsWith('.') ? from.replace(/\.js$/, '.cjs') : from);
