import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

type Ports = { http: number; smtp: number };

/** Returns a page's named code blocks in a language, joining the text of blocks with the same name. */
export function blocksOf(page: string, language: string): Record<string, string> {
  const blocks: Record<string, string> = {};
  const fences = new RegExp(`^\`\`\`${language} ([\\w-]+)\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  for (const [, name = '', text = ''] of readFileSync(page, 'utf8').matchAll(fences))
    blocks[name] = (blocks[name] ?? '') + text;
  return blocks;
}

/** Names the missing programs, or returns false if none is missing. */
export function withoutTools(tools: string[]): string | false {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error);
  return missing.length > 0 && `test/setup.sh installs what is missing here: ${missing.join(', ')}`;
}

/** Text of a page with a running program's ports in place of the defaults. */
export function onPorts(text: string, { http, smtp }: Ports): string {
  return text
    .replaceAll('localhost:8080', `127.0.0.1:${http}`)
    .replaceAll('localhost:2525', `127.0.0.1:${smtp}`)
    .replaceAll("'localhost', port: 2525", `'127.0.0.1', port: ${smtp}`);
}

/** Runs a page's lines in bash, as a user who pastes them does. Returns their output. */
export async function runLines(
  lines: string,
  options: { cwd: string; flags: string; env?: Record<string, string> },
): Promise<string> {
  // Excludes the test runner's variables, with which `node --test` runs nothing. npm needs the machine's certificate authorities.
  const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env;
  const env = { PATH, HOME, NODE_EXTRA_CA_CERTS, ...options.env };
  return (await promisify(execFile)('bash', [options.flags, lines], { cwd: options.cwd, env })).stdout;
}
