import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'sandpost');
const file = path.join(cache, 'rfc7208-tests.json');
/** Python with a YAML reader, which test/setup.sh installs for the API tests. */
const python = path.join(cache, 'schemathesis', 'bin', 'python');
const release = 'pyspf==2.0.14';

type Record = 'TIMEOUT' | { [type: string]: string | string[] | [number, string] };

/** Scenario in openspf.org's suite for RFC 7208: DNS names with their records, and cases that use them. */
export type Scenario = {
  description: string;
  zonedata: { [name: string]: Record[] };
  tests: {
    [name: string]: {
      host: string;
      mailfrom: string;
      helo: string;
      result: string | string[];
      spec: unknown;
    };
  };
};

export const hasSpfSuite = () => existsSync(file) || existsSync(python);

/** Reads the suite from the package pyspf, which it downloads first if it is missing. Throws if that fails. */
export function spfSuite(): Scenario[] {
  if (!existsSync(file)) fetchSuite();
  return JSON.parse(readFileSync(file, 'utf8'));
}

const convert = `
import json, tarfile, glob, yaml
with tarfile.open(glob.glob('pyspf-*.tar.gz')[0]) as package:
    member = next(name for name in package.getnames() if name.endswith('/rfc7208-tests.yml'))
    text = package.extractfile(member).read().decode('utf8')
json.dump([scenario for scenario in yaml.safe_load_all(text) if scenario], open('suite.json', 'w'))
`;

function fetchSuite(): void {
  const work = mkdtempSync(path.join(tmpdir(), 'spf-suite-'));
  const run = (...args: string[]) => execFileSync(python, args, { cwd: work, stdio: 'pipe' });
  try {
    run('-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', release);
    run('-c', convert);
    mkdirSync(cache, { recursive: true });
    // Copied before the rename, because the temporary folder may be on another file system.
    const beside = `${file}.${process.pid}`;
    copyFileSync(path.join(work, 'suite.json'), beside);
    renameSync(beside, file);
  } finally {
    rmSync(work, { recursive: true });
  }
}
