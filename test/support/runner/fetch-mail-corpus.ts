import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

/** Where mails that others wrote are kept: test data of mail software, under licences that are not ours to pass on. */
const folder = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'sandpost',
  'mail-corpus',
);

/** Debian packages (a pattern as apt-cache understands it) and where in them the mails are. */
const packages: [name: string, mails: string][] = [
  ['^libpython3.[0-9]+-testsuite$', 'usr/lib/python3*/test/test_email/data/*.txt'],
  ['^golang-github-jhillyerd-enmime-dev$', '**/*.raw'],
  ['^python3-flufl.bounce$', '**/tests/data/*.txt'],
  ['^python3-django-hyperkitty$', '**/tests/testdata/*.txt'],
  ['^mailman3$', '**/*.eml'],
];

/** The mail-parser crate ships the hardest ones: old character sets, other parsers' bugs, broken structures. */
const crate = '0.11.1';

/** The files of the corpus, one mail each, in a steady order; fetched where they are not there yet. Throws where that fails. */
export function mailCorpus(): string[] {
  if (!existsSync(folder)) fetchMailCorpus();
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** Downloads with apt-get, which needs no root for it, and with cargo where there is one. */
function fetchMailCorpus(): void {
  const work = mkdtempSync(path.join(tmpdir(), 'mail-corpus-'));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const keep = (source: string, from: string, mails: string) => {
    for (const mail of globSync(mails, { cwd: from })) {
      const target = path.join(work, 'corpus', source, mail.replaceAll('/', '_'));
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(path.join(from, mail), target);
    }
  };
  try {
    for (const [pattern, mails] of packages) {
      const name = run('apt-cache', 'search', '--names-only', pattern).split(' ')[0];
      if (!name) continue;
      run('apt-get', 'download', '-q', name);
      run('dpkg-deb', '-x', globSync(`${name}_*.deb`, { cwd: work })[0] ?? '', name);
      keep(name, path.join(work, name), mails);
    }
    if (hasCargo()) {
      const manifest = `[package]\nname = "corpus"\nversion = "0.0.0"\n[dependencies]\nmail-parser = "=${crate}"\n`;
      mkdirSync(path.join(work, 'src'));
      writeFileSync(path.join(work, 'src', 'lib.rs'), '');
      writeFileSync(path.join(work, 'Cargo.toml'), manifest);
      run('cargo', 'vendor', '-q', 'vendor');
      keep('mail-parser', path.join(work, 'vendor', 'mail-parser'), '**/*.eml');
    }
    mkdirSync(path.dirname(folder), { recursive: true });
    // In one step, so that an interrupted download leaves no half corpus.
    renameSync(path.join(work, 'corpus'), folder);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function hasCargo(): boolean {
  try {
    execFileSync('cargo', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
