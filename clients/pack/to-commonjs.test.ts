import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCommonJs, typesOfCommonJs } from './to-commonjs.ts';

test('imports and exports of the client become those of CommonJS', () => {
  const source = `import path from 'node:path';
import { a, b as c } from './other.js';

export { a };

export async function* make() {}
export class Some {}
export const one = 1;
`;
  assert.equal(
    toCommonJs(source),
    `'use strict';

const path = require('node:path');
const { a, b: c } = require('./other.cjs');



async function* make() {}
class Some {}
const one = 1;

module.exports = { make, Some, one, a };
`,
  );
});

test('a form that the conversion does not support is an error', () => {
  for (const line of [
    "import './other.js';",
    "export * from './other.js';",
    'export default 1;',
    "import * as a from 'a';",
  ])
    assert.throws(() => toCommonJs(`${line}\n`), /does not support/);
});

test('types name the types of CommonJS', () => {
  assert.equal(
    typesOfCommonJs("import type { A } from './a.js';\nimport type { B } from 'b.js';\n"),
    "import type { A } from './a.cjs';\nimport type { B } from 'b.js';\n",
  );
});
