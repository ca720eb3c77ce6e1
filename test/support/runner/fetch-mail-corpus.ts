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
import { homedir } from 'node:os';
import path from 'node:path';

/** Cache of other projects' emails: test data of mail software, under licenses that do not permit redistribution. */
const folder = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'sandpost',
  'mail-corpus',
);

/** Debian packages, as patterns for apt-cache, with the location of the emails in each. */
const packages: [name: string, mails: string][] = [
  ['^libpython3.[0-9]+-testsuite$', 'usr/lib/python3*/test/test_email/data/*.txt'],
  ['^golang-github-jhillyerd-enmime-dev$', '**/*.raw'],
  ['^python3-flufl.bounce$', '**/tests/data/*.txt'],
  ['^python3-django-hyperkitty$', '**/tests/testdata/*.txt'],
  ['^mailman3$', '**/*.eml'],
];

/** Version of the mail-parser crate, whose emails have old character sets, other parsers' bugs and broken structures. */
const crate = '0.11.1';

/** Lists the corpus files, one email each, sorted. Downloads them first if they are missing. Throws if that fails. */
export function mailCorpus(): string[] {
  if (!existsSync(folder)) fetchMailCorpus();
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** Downloads by apt-get, which needs no root for this, and by cargo if it is installed. */
function fetchMailCorpus(): void {
  // Created beside its target: a temporary folder may be in memory, and files cannot be renamed from there to a disk.
  mkdirSync(path.dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
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
    // Renamed in one step, so an interrupted download leaves no partial corpus. Another test may have been first.
    try {
      renameSync(path.join(work, 'corpus'), folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
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
