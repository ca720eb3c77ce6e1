import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Program, and the environment that it needs. */
export type Tool = { file: string; env: NodeJS.ProcessEnv };

const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');

/** Postfix's load generator (smtp-source(1)), taken from its Debian package, which is neither installed nor started. */
export function smtpSource(): Tool {
  const root = unpacked('postfix');
  const libraries = path.join(root, 'usr/lib/postfix');
  return {
    file: path.join(root, 'usr/sbin/smtp-source'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
  };
}

/** HTTP load generator (wrk(1)), taken from its Debian package and from the package of the library that it needs. */
export function wrk(): Tool {
  const root = path.join(unpacked('libluajit-5.1-2'), 'usr/lib');
  // Libraries are in a folder named after the machine's architecture.
  const libraries = readdirSync(root).map((name) => path.join(root, name));
  return {
    file: path.join(unpacked('wrk'), 'usr/bin/wrk'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
  };
}

/** Counter of instructions (valgrind(1)), taken from its Debian package. */
export function valgrind(): Tool {
  const root = path.join(unpacked('valgrind'), 'usr');
  return {
    file: path.join(root, 'bin/valgrind.bin'),
    env: { ...process.env, VALGRIND_LIB: path.join(root, 'libexec/valgrind') },
  };
}

/** Returns the folder with a Debian package's files, which is kept in the cache folder. Throws if apt-get is missing. */
function unpacked(name: string): string {
  const folder = path.join(caches, 'sandpost/packages', name);
  if (existsSync(folder)) return folder;
  mkdirSync(path.dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    const args = ['-q', '-o', 'APT::Sandbox::User=root', 'download', name];
    execFileSync('apt-get', args, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
    const [file] = readdirSync(work);
    if (file === undefined) throw new Error(`apt-get downloads no package ${name}`);
    execFileSync('dpkg', ['-x', path.join(work, file), path.join(work, 'files')]);
    renameSync(path.join(work, 'files'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}
