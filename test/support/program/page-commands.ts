import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { blocksOf, onPorts, runLines, withoutTools } from './page-blocks.ts';
import { type Process, startProcess } from './process.ts';
import { temporaryDir } from './program.ts';

/**
 * Tests that a page's command blocks do what `wanted` says, by name: print output that matches the patterns in order. The blocks
 * run beside `sandpost dev`, each after the block `begin`, as if a user pasted them.
 */
export function testCommands(page: string, tools: string[], wanted: Record<string, RegExp[]>): void {
  const blocks = blocksOf(page, 'sh');
  const skip = withoutTools(tools);

  let dev: Process;
  let cwd: string;
  before(async () => {
    cwd = await temporaryDir();
    dev = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  });
  after(() => dev.stop());

  function run(name: string): Promise<string> {
    const env = {
      PATH: `${path.resolve('bin')}:${process.env.PATH}`,
      SANDPOST_URL: `http://127.0.0.1:${dev.ports.http}`,
    };
    return runLines(onPorts(`${blocks.begin}${blocks[name]}`, dev.ports), { cwd, flags: '-uc', env });
  }

  test(`each block of commands of ${page} is run here`, () => {
    assert.deepEqual(Object.keys(blocks), ['begin', ...Object.keys(wanted)]);
  });

  for (const [name, patterns] of Object.entries(wanted)) {
    test(`the commands of ${page} do what they say: ${name}`, { skip }, async () => {
      let output = await run(name);
      for (const pattern of patterns) {
        const match = pattern.exec(output) ?? assert.fail(`no ${pattern} in ${output}`);
        output = output.slice(match.index + match[0].length);
      }
    });
  }
}
