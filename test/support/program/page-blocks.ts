import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

type Ports = { http: number; smtp: number };

/** Returns the blocks of code of a page in a language that have a name, with the text of all blocks of a name. */
export function blocksOf(page: string, language: string): Record<string, string> {
  const blocks: Record<string, string> = {};
  const fences = new RegExp(`^\`\`\`${language} ([\\w-]+)\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  for (const [, name = '', text = ''] of readFileSync(page, 'utf8').matchAll(fences))
    blocks[name] = (blocks[name] ?? '') + text;
  return blocks;
}

/** Says which programs are missing, false for none. */
export function withoutTools(tools: string[]): string | false {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error);
  return missing.length > 0 && `test/setup.sh installs what is missing here: ${missing.join(', ')}`;
}

/** Text of a page with the ports of a running program in place of the defaults. */
export function onPorts(text: string, { http, smtp }: Ports): string {
  return text
    .replaceAll('localhost:8080', `127.0.0.1:${http}`)
    .replaceAll('localhost:2525', `127.0.0.1:${smtp}`)
    .replaceAll("'localhost', port: 2525", `'127.0.0.1', port: ${smtp}`);
}

/** Runs lines of a page by bash, as a user does who pastes them. Returns what they print. */
export async function runLines(
  lines: string,
  options: { cwd: string; flags: string; env?: Record<string, string> },
): Promise<string> {
  // Not the variables of the test runner, with which `node --test` runs nothing.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env };
  return (await promisify(execFile)('bash', [options.flags, lines], { cwd: options.cwd, env })).stdout;
}
