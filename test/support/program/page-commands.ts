import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type Process, startProcess } from './process.ts';
import { temporaryDir } from './program.ts';

/**
 * Tests that the blocks of commands of a page do what `wanted` says, by their names: output that matches the patterns in
 * their order. The blocks run beside `sandpost dev`, each after the block `begin`, as a user does who pastes them.
 */
export function testCommands(page: string, tools: string[], wanted: Record<string, RegExp[]>): void {
  const found = readFileSync(page, 'utf8').matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm);
  const blocks = Object.fromEntries([...found].map(([, name = '', lines = '']) => [name, lines]));
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error);
  const skip = missing.length > 0 && `test/setup.sh installs what is missing here: ${missing.join(', ')}`;

  let dev: Process;
  let cwd: string;
  before(async () => {
    cwd = await temporaryDir();
    dev = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  });
  after(() => dev.stop());

  async function run(name: string): Promise<string> {
    const lines = `${blocks.begin}${blocks[name]}`
      .replaceAll('localhost:8080', `127.0.0.1:${dev.ports.http}`)
      .replaceAll('localhost:2525', `127.0.0.1:${dev.ports.smtp}`);
    const env = {
      ...process.env,
      PATH: `${path.resolve('bin')}:${process.env.PATH}`,
      SANDPOST_URL: `http://127.0.0.1:${dev.ports.http}`,
    };
    return (await promisify(execFile)('bash', ['-uc', lines], { cwd, env })).stdout;
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
