import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const url = new URL('without-undici.ts', import.meta.url);

/** Loads Node's HTTP module in a new process after `first`. Returns whether undici is loaded then. */
function loadsUndici(first: string): boolean {
  const script = `${first}; await import('node:http');
    console.log(process.moduleLoadList.some((name) => name.endsWith('internal/deps/undici/undici')))`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return output.trim() === 'true';
}

test('the HTTP module comes without undici', () => {
  assert.equal(loadsUndici(''), true, 'without this it would be loaded');
  assert.equal(loadsUndici(`(await import(${JSON.stringify(url)})).withoutUndici()`), false);
});
