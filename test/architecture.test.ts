import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

/** Program files. The JavaScript client's types belong to a separate package. */
const files = globSync('**/*.{ts,tsx}', {
  exclude: ['**/node_modules/**', 'data/**', '**/dist*/**', 'clients/javascript/**'],
});
const source = (file: string) => readFileSync(file, 'utf8');

/**
 * Import in a file. `name` is a path from the root for the project's files, and otherwise a package name. `erased` are `import type` and
 * `export type`, of which nothing is left at run time. `loaded` is what a URL or `require` names: a thread's entry, for example.
 */
type Import = { name: string; erased: boolean; loaded: boolean };

function importsOf(file: string): Import[] {
  const found = source(file).matchAll(
    /^(?:import|export)( type)?\b[^'";]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  const imports = [...found].map(([, type, from, bare, dynamic]) => {
    return { specifier: from ?? bare ?? dynamic ?? '', erased: type !== undefined, loaded: false };
  });
  const atRunTime = source(file).matchAll(
    /\bnew URL\(\s*'([^']+\.tsx?)',\s*import\.meta\.url|\brequire\('([^']+)'\)/g,
  );
  const loaded = [...atRunTime].map(([, url, required]) => {
    return { specifier: url ?? required ?? '', erased: false, loaded: true };
  });
  return [...imports, ...loaded].flatMap(({ specifier, ...kind }) =>
    isBuiltin(specifier) ? [] : [{ name: nameOf(specifier, file), ...kind }],
  );
}

function nameOf(specifier: string, file: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : packageOf(specifier);
}

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const isOurs = (name: string) => /\.(tsx?|css)$/.test(name);
const isTest = (file: string) => file.startsWith('test/') || file.includes('.test.');
/** Lines that the page shows. What begins with `import` there is text. */
const shownLines = 'api/web/start/provider-snippets.ts';
const program = files.filter((file) => !isTest(file) && file !== shownLines);

/** Core nouns in order: each may import only those before it. */
const nouns = [
  'events',
  'access',
  'domains',
  'teams',
  'mailboxes',
  'accounts',
  'messages',
  'audit',
  'extraction',
  'query',
  'search',
  'rules',
  'failures',
  'checks',
  'comparison',
  'assertions',
  'delivery',
  'shares',
  'refusals',
  'archive',
];

/** Packages and the only places that may import them. */
const homes: [RegExp, RegExp][] = [
  [/^(koa.*|@koa\/.*|joi-to-swagger|mime-types)$/, /^api\/(?!web\/)/],
  [/^ws$/, /^api\/mailpit-events\//],
  [/^@modelcontextprotocol\/server$/, /^api\/mcp\//],
  [/^joi$/, /^(api\/(?!web\/)|setup\/(config|settings|setting-shapes)\.ts)/],
  [/^@opentelemetry\//, /^adapters\/spans\/tracer\.ts$/],
  [/^pino$/, /^telemetry\/log\.ts$/],
  [/^fastest-levenshtein$/, /^setup\/nearest-name\.ts$/],
  [/^prom-client$/, /^telemetry\/metrics\.ts$/],
  [
    /^smtp-server$/,
    /^smtp\/(smtp-server-adapter|input-stream|server|connection|recipients|transaction)\.ts$/,
  ],
  [/^libmime$/, /^(adapters\/mime\/|api\/providers\/addresses\.ts)/],
  [/^(mailparser|iconv-lite|html-encoding-sniffer|@exodus\/bytes)$/, /^adapters\/mime\//],
  // Readers with one pass each: an email's content, its HTML as a document, and that document's components.
  [/^htmlparser2$/, /^adapters\/(mime|mail-document|checks|comparison)\//],
  [/^diff$/, /^adapters\/comparison\//],
  [/^css-tree$/, /^adapters\/checks\//],
  [/^mailauth$/, /^adapters\/mail-auth\//],
  [
    /^nodemailer$/,
    /^(adapters\/(mime\/fields|mail-auth\/dkim)|adapters\/composing\/(mail|report)-composer|api\/providers\/addresses|commands\/sendmail-client)\.ts$/,
  ],
  [/^mongodb$/, /^adapters\/stores\/mongo\//],
  [/^ioredis$/, /^adapters\/redis\//],
  [/^@kubernetes\/client-node$/, /^operator\//],
  [/^js-yaml$/, /^(operator|release)\//],
  [/^openid-client$/, /^adapters\/openid\//],
  [/^ipaddr\.js$/, /^adapters\/outbound\//],
  [/^dns2$/, /^adapters\/dns\//],
  [/^(preact|@preact\/signals|dompurify)$/, /^api\/web\//],
  [/^vite$/, /^(build|api\/web\/(vite\.config|dev))\.ts$/],
];

/** Returns the program's imports that `allowed` refuses, as `file -> import`. */
function offenders(allowed: (file: string, name: string, erased: boolean) => boolean): string[] {
  return program.flatMap((file) =>
    importsOf(file)
      .filter(({ name, erased }) => !allowed(file, name, erased))
      .map(({ name }) => `${file} -> ${name}`),
  );
}

const nounOf = (file: string) => /^core\/([a-z]+)\//.exec(file)?.[1];

/**
 * Returns the files in import cycles and all files above them, or null. Leaves out a file once all its imports are left out. A thread
 * loads its own modules, so its entry may import the file that starts it.
 */
function cycle(): string[] | null {
  const imported = (file: string) => importsOf(file).filter(({ loaded }) => !loaded);
  const left = new Map(program.map((file) => [file, imported(file)]));
  for (let size = 0; size !== left.size; ) {
    size = left.size;
    for (const [file, imports] of left) if (!imports.some(({ name }) => left.has(name))) left.delete(file);
  }
  return left.size === 0 ? null : [...left.keys()];
}

test('no files import each other in a cycle, not even types', () => {
  assert.equal(cycle(), null);
});

test('each module is loaded by a name in its source, so that all arrows are seen', () => {
  const unseen = /\bimport\((?!\s*')|\bnew Worker\(\s*['`]|\brequire\((?!\s*')/;
  const unexpected = program.filter((file) => !file.startsWith('api/web/') && unseen.test(source(file)));
  assert.deepEqual(unexpected, []);
});

test('a noun of the core imports no package, and only nouns before it', () => {
  // Changes determine rows of all nouns, whose types `core/change.ts` imports. No file imports another in a cycle.
  const ground = [
    'errors',
    'page',
    'ids',
    'ascii',
    'limits',
    'limit-of',
    'quotas',
    'linked-controller',
    'change',
  ].map((name) => `core/${name}.ts`);
  assert.deepEqual(
    offenders((file, name) => {
      const noun = nounOf(file);
      if (noun === undefined || ground.includes(name)) return true;
      const other = nounOf(name);
      if (other === noun) return true;
      return other !== undefined && nouns.includes(other) && nouns.indexOf(other) < nouns.indexOf(noun);
    }),
    [],
  );
});

test('adapters import only the core, the gate and telemetry', () => {
  assert.deepEqual(
    offenders(
      (file, name) =>
        !file.startsWith('adapters/') || !isOurs(name) || /^(adapters|core|gate|telemetry)\//.test(name),
    ),
    [],
  );
});

test('only the set-up imports adapters', () => {
  assert.deepEqual(
    offenders((file, name) => !name.startsWith('adapters/') || /^(adapters|setup)\//.test(file)),
    [],
  );
});

test('the core imports no other room', () => {
  assert.deepEqual(
    offenders((file, name) => !file.startsWith('core/') || !isOurs(name) || name.startsWith('core/')),
    [],
  );
});

test('the gate imports the core and telemetry alone, and only edges, adapters, upkeep and the set-up use it', () => {
  const users = /^(gate|api|smtp|operator|adapters|maintenance|setup)\//;
  assert.deepEqual(
    offenders((file, name) => {
      if (file.startsWith('gate/')) return !isOurs(name) || /^(core|gate|telemetry)\//.test(name);
      return !name.startsWith('gate/') || users.test(file);
    }),
    [],
  );
});

test('the core names what is invalid by its own properties, not by names on the wire', () => {
  const onWire = /\b(?:invalid\(|unlessLastOwner\(|directMember\(|field:)[^;]*?'[a-z]+_[a-z_]+'/s;
  const core = program.filter((file) => file.startsWith('core/'));
  const unexpected = core.filter((file) => onWire.test(source(file)));
  assert.deepEqual(unexpected, []);
});

test('the core knows no edge, and no edge another', () => {
  const edge = (file: string) => /^(api|smtp|operator)\//.exec(file)?.[1];
  assert.deepEqual(
    offenders((file, name) => {
      const target = edge(name);
      return target === undefined || edge(file) === target || file.startsWith('commands/');
    }),
    [],
  );
});

test('the operator runtime knows no kind of ours, nor the core', () => {
  assert.deepEqual(
    offenders((file, name) => {
      const isRuntime = file.startsWith('operator/runtime/');
      return !isRuntime || !isOurs(name) || name.startsWith('operator/runtime/');
    }),
    [],
  );
});

test('only the registry of the operator knows its kinds, and no kind another', () => {
  const kind = (file: string) => /^operator\/(?!runtime\/)([a-z-]+)\//.exec(file)?.[1];
  assert.deepEqual(
    offenders((file, name) => {
      const target = kind(name);
      return target === undefined || kind(file) === target || file === 'operator/kinds.ts';
    }),
    [],
  );
});

test('the page knows only the types of wire objects of the server, and the server nothing of it', () => {
  const isPage = (file: string) => file.startsWith('api/web/') && !/(vite\.config|dev)\.ts$/.test(file);
  // One file takes the types from their declarations. Any other import would bring server code into the page.
  const isWireType = (file: string, name: string, erased: boolean) =>
    erased && file === 'api/web/client/shapes.ts' && /^api\/(nouns|shapes)\//.test(name);
  // An email's document is the same in the page's frame and in an API response.
  const isShared = (name: string) => name === 'api/frame-document.ts';
  assert.deepEqual(
    offenders(
      (file, name, erased) =>
        !isOurs(name) || isPage(file) === isPage(name) || isShared(name) || isWireType(file, name, erased),
    ),
    [],
  );
  assert.deepEqual(importsOf('api/frame-document.ts'), []);
  const ofNode = program.filter((file) => isPage(file) && /\bfrom 'node:/.test(source(file)));
  assert.deepEqual(ofNode, []);
});

test('a package has one home', () => {
  assert.deepEqual(
    offenders(
      (file, name) =>
        isOurs(name) || homes.every(([packages, home]) => !packages.test(name) || home.test(file)),
    ),
    [],
  );
});

test('every package that the program imports has a home', () => {
  assert.deepEqual(
    offenders(
      (_file, name) =>
        isOurs(name) || name.endsWith('.json') || homes.some(([packages]) => packages.test(name)),
    ),
    [],
  );
});

test('there is one nodemailer, at least 10.5', () => {
  const lock: { packages: Record<string, { version?: string }> } = JSON.parse(source('package-lock.json'));
  const found = Object.entries(lock.packages).filter(([name]) => name.endsWith('node_modules/nodemailer'));
  assert.equal(found.length, 1);
  const [major = 0, minor = 0] = (found[0]?.[1].version ?? '').split('.').map(Number);
  assert.ok(major > 10 || (major === 10 && minor >= 5), 'CVE-2026-125755 is closed in 10.4.1');
});
