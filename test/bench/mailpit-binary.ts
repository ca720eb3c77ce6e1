import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

export const mailpitVersion = '1.33.1';

const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'sandpost');
const binary = path.join(cache, `mailpit-${mailpitVersion}`);

/** Returns the reason why Mailpit cannot be run here, or false. */
export const withoutMailpit =
  existsSync(binary) || spawnSync('go', ['version']).status === 0
    ? false
    : 'Mailpit is built by Go, which is not installed';

/**
 * Returns the path of a Mailpit of that version, built once from its Go module and kept in the cache folder. The module lacks the web
 * page's bundle, which is not needed. Throws if it must be built and Go is missing.
 */
export function mailpitBinary(): string {
  if (existsSync(binary)) return binary;
  process.stderr.write(`building Mailpit ${mailpitVersion}, once\n`);
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(path.join(tmpdir(), 'mailpit-'));
  try {
    // `go install` also requests the list of versions, which not every module proxy provides.
    writeFileSync(path.join(work, 'go.mod'), 'module build\n');
    const answer = run(
      work,
      'go',
      'mod',
      'download',
      '-json',
      `github.com/axllent/mailpit@v${mailpitVersion}`,
    );
    const { Dir }: { Dir: string } = JSON.parse(answer);
    const source = path.join(work, 'source');
    cpSync(Dir, source, { recursive: true });
    run(work, 'chmod', '-R', 'u+w', source);
    run(source, 'go', 'build', '-o', path.join(work, 'mailpit'), '.');
    cpSync(path.join(work, 'mailpit'), `${binary}.new`);
    renameSync(`${binary}.new`, binary);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return binary;
}

function run(cwd: string, file: string, ...args: string[]): string {
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
