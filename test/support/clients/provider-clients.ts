import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const folder = new URL('../../tools/providers/clients/', import.meta.url);
const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
/** Python with the packages from `python-clients.txt`. */
export const pythonClients = path.join(cache, 'sandpost/python-clients/bin/python');

/** Returns the reason why the official npm clients cannot be used, or false. */
export const withoutNodeClients = existsSync(new URL('node_modules', folder))
  ? false
  : 'test/setup.sh, which installs the providers’ clients, was not run';

/** Returns the reason why PyPI clients cannot be used, or false. */
export const withoutPythonClients = existsSync(pythonClients)
  ? false
  : 'test/setup.sh, which installs clients for Python, was not run';

/** Loads an official client. `T` declares the parts that a test uses. */
export function nodeClient<T>(name: string): T {
  return createRequire(new URL('package.json', folder))(name);
}

/** Runs a script with Python's official clients, and returns its output. Throws an error with the script's stderr. */
export async function runPython(script: string, input: unknown): Promise<string> {
  const child = spawn(pythonClients, ['-c', script], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(input));
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(errors);
  return output;
}
