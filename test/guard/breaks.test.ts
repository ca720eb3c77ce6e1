import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { breaks } from './breaks.ts';

const tests = globSync(
  '{adapters,api,commands,core,gate,maintenance,operator,setup,smtp,telemetry,test}/**/*.test.ts',
  { exclude: ['**/dist*/**'] },
);

for (const { file, text, test: part } of breaks) {
  test(`a break of ${file} fits the source: ${text}`, () => {
    assert.equal(readFileSync(file, 'utf8').split(text).length - 1, 1, 'occurrences of the text');
    assert.ok(
      tests.some((name) => name.includes(part)),
      `no test file has ${part} in its path`,
    );
  });
}
