import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { shareApiServer } from '#test/support/kubernetes/api-server.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { noCluster, startKubernetes } from '#test/support/kubernetes/kubernetes-cluster.ts';
import { type Duration, keepDurations } from '#test/support/runner/durations.ts';
import { placesWhileIdle } from '#test/support/runner/idle.ts';
import { memoryFolder } from '#test/support/runner/memory-folder.ts';
import { type Job, sideBySide } from '#test/support/runner/side-by-side.ts';
import { type Attempt, attempt, type Runner, TestReport } from '#test/support/runner/test-report.ts';
import { startMongod } from '#test/support/stores/mongod.ts';
import { startRedis, withoutRedis } from '#test/support/stores/redis-server.ts';

/**
 * Runs tests. A file's folder determines how it runs; see the table in CONTRIBUTING.md. Without arguments, runs the folders that show
 * whether a change is sound, which takes some minutes. `--rest` runs everything else, `--all` both. Any other argument selects files
 * whose path contains that text, with or without the folder that determines how they run: `test/smtp`.
 *
 * Unit tests share one process, and files in some folders share one in groups. Each other file has its own. Processes run side by side,
 * one more than there are cores, and up to two more while processors are idle. Files in `test/long`, which wait longer, run beside these
 * in two rows. Tests in a Kubernetes cluster, which wait for pods, run beside all except those that run alone. Until they end, two
 * processes fewer run side by side. The report ends with the slowest files.
 *
 * With `--all`, up to three failed processes of a part run again, one after the other, because a test on two busy cores may lose a race.
 * The report shows what failed in the first run, and counts what passed only in the second.
 *
 * `--unbuilt` builds nothing. The program then runs from any source that is newer than its build.
 */
const args = process.argv.slice(2);
const parts = args.filter((arg) => !arg.startsWith('--'));
const runsAll = args.includes('--all') || parts.length > 0;
const runsRest = runsAll || args.includes('--rest');
const runsFirst = runsAll || !runsRest;

const how = /^test\/(once|each-store|tools|long|alone\/once|alone\/each-store|cluster)\//;
const isWanted = (file: string) =>
  parts.length === 0 ||
  [file, file.replace(how, 'test/')].some((name) => parts.some((part) => name.includes(part)));
const found = globSync('**/*.test.ts', { exclude: ['**/node_modules/**', 'data/**'] })
  .filter(isWanted)
  .sort();
const inFolder = (folder: string) => found.filter((file) => how.exec(file)?.[1] === folder);

/** Unit tests: beside what they test, without a server. */
const unit = runsFirst ? found.filter((file) => !how.test(file)) : [];
const eachStore = inFolder('each-store');
const first = runsFirst ? [...inFolder('once'), ...eachStore] : [];
const tools = runsRest ? inFolder('tools') : [];
const long = runsRest ? inFolder('long') : [];
const onMongo = runsRest ? eachStore : [];
const aloneOnMongo = runsRest ? inFolder('alone/each-store') : [];
const alone = runsRest ? [...aloneOnMongo, ...inFolder('alone/once')] : [];
const inKubernetes = runsRest ? inFolder('cluster') : [];

const chosen = [...unit, ...first, ...tools, ...long, ...onMongo, ...alone, ...inKubernetes];
if (chosen.length === 0) {
  process.stderr.write(`No test file has one of these in its path: ${parts.join(' ')}\n`);
  process.exit(1);
}
const hasServers = chosen.length > unit.length;

/** Files whose tests all need Redis. `replicas` run several program processes on one store. */
const needsRedis = (file: string) => /\/(redis|replicas)\//.test(file);

/** Files that share one Kubernetes API server, which they use one after the other. */
const needsApiServer = (file: string) => /^test\/long\/(operator|operator-shared|chart)\//.test(file);

// Compiled sources, as `bin/sandpost` keeps them. Otherwise each process and thread of the files would compile them again.
process.env.NODE_COMPILE_CACHE ??= path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'sandpost/compiled',
);

const report = new TestReport();
/** True while tests run in a cluster, whose pods need processor time to respond promptly. */
let hasCluster = inKubernetes.length > 0;
const besideCluster = placesWhileIdle(() => Math.max(1, availableParallelism() - 1));
const withoutCluster = placesWhileIdle(() => availableParallelism() + 1);
/** Maximum processes side by side, without those of `test/long`. */
const atOnce = () => (hasCluster ? besideCluster() : withoutCluster());

/** Durations (s) of files, and of everything that runs side by side, alone and in the cluster. */
const durations: Duration[] = [];
const tookSince = (what: string, begun: number) =>
  void durations.push([what, Math.round((performance.now() - begun) / 1000)]);

/** Run of one job, and the function that repeats it. */
type Ended = Attempt & { again: Job<Attempt> };
/** Maximum failed processes in a part that are run again. If more fail, the cause is not a busy machine. */
const mostAgain = 3;

/** Cluster files run without `deadline.ts`: pods end slowly, and four times as slowly on a busy machine. */
const ofCluster = { timeout: 1_800_000, execArgv: [] };
/** `deadline.ts` ends files earlier. */
const ofProcesses = { timeout: 1_200_000, execArgv: ['--import', './test/support/runner/deadline.ts'] };

/** Creates a job for each group of files, which runs in a process with this environment. Adds `label` to test names. */
function jobsOf(groups: string[][], env: NodeJS.ProcessEnv = {}, label = '', more = ofProcesses) {
  return groups.map((files): Job<Ended> => {
    const [file = ''] = files;
    const isOne = files.length === 1;
    const listed = isOne ? env : { ...env, SANDPOST_TEST_FILES: files.join('\n') };
    const runner: Runner = (one) => run({ files: one, env: { ...process.env, ...listed }, ...more });
    const once = () => attempt([isOne ? file : 'test/support/runner/files-together.ts'], runner, label);
    return async () => {
      const begun = performance.now();
      const ended = await once();
      if (isOne) tookSince(file + label, begun);
      else durations.push(...durationsOf(ended.events));
      return { ...ended, again: once };
    };
  });
}

/** Returns the durations of suites, which are named after files. */
const durationsOf = (list: TestEvent[]): Duration[] =>
  list.flatMap(({ type, data }): Duration[] =>
    (type === 'test:pass' || type === 'test:fail') && data.nesting === 0
      ? [[data.name, Math.round(data.details.duration_ms / 1000)]]
      : [],
  );

const each = (files: string[]) => files.map((file) => [file]);

/**
 * Folders whose files share a process, in the order in which they start, with the number of files per process. Other files run alone, as
 * do those that measure delays.
 */
const shared: [folder: string, most: number][] = [
  ['test/once/conformance/', 8],
  ['test/once/api/', 10],
  ['test/once/journeys/', 6],
  ['test/tools/mongo/', 6],
  ['test/once/mail-auth/', 6],
  ['test/once/smtp/', 12],
  ['test/once/web/', 9],
  ['test/tools/web/', 6],
  ['test/once/', 6],
  ['test/each-store/', 7],
  // Single files that take over a minute. Started last, one would run while all others have ended.
  ['test/tools/api/', 1],
  ['test/tools/release/', 1],
  ['test/tools/providers/', 6],
  ['test/tools/clients/', 4],
  ['test/tools/senders/', 4],
  ['test/long/operator-shared/', 6],
  ['adapters/mime/', 11],
  ['adapters/stores/', 10],
];

/** First folder in the table that contains a file. */
const folderOf = (file: string) => shared.find(([folder]) => file.startsWith(folder))?.[0];

/** Groups files that share a process. Groups, which take longest, come first. */
function inGroups(files: string[]): string[][] {
  const groups = shared.flatMap(([folder, most]) => {
    const together = files.filter((file) => folderOf(file) === folder);
    const count = Math.ceil(together.length / most);
    return Array.from({ length: count }, (_, index) => together.filter((_file, at) => at % count === index));
  });
  const grouped = new Set(groups.flat());
  return [...groups, ...each(files.filter((file) => !grouped.has(file)))];
}

/**
 * Creates the unit test jobs: one process for all files except adapter tests, which use files, threads and hooks, and files that
 * await something while loading.
 */
function unitJobs(env: NodeJS.ProcessEnv = {}) {
  const isAlone = (file: string) =>
    file.startsWith('adapters/') || /^(const .* = )?await /m.test(readFileSync(file, 'utf8'));
  const together = unit.filter((file) => !isAlone(file));
  return jobsOf([...(together.length > 0 ? [together] : []), ...inGroups(unit.filter(isAlone))], env);
}

/** Runs jobs as `sideBySide` does, repeats failed ones, and records their total duration. */
async function* events(what: string, ...given: Parameters<typeof sideBySide<Ended>>) {
  const begun = performance.now();
  const failed: Ended[] = [];
  for await (const ended of sideBySide(...given)) {
    if (ended.ok || !args.includes('--all')) {
      yield* report.add(ended);
    } else {
      failed.push(ended);
      yield* report.failedFirst(ended);
    }
  }
  for (const first of failed) {
    if (failed.length > mostAgain) yield* report.add(first);
    else yield* report.addSecond(await first.again());
  }
  tookSince(what, begun);
}

/** Runs the tests on this machine. Those that run alone start when `quiet` resolves. */
async function* onProcesses(quiet: Promise<unknown>): AsyncGenerator<TestEvent> {
  if (!hasServers) {
    yield* events('unit tests', unitJobs(), [], atOnce);
    return;
  }
  const noRedis = withoutRedis();
  const possible = (files: string[]) => (noRedis ? files.filter((file) => !needsRedis(file)) : files);
  if (noRedis) yield* report.skip('what needs Redis', noRedis);
  const redis = noRedis ? null : await startRedis();
  const onBoth = (files: string[], env: NodeJS.ProcessEnv) =>
    redis === null
      ? []
      : jobsOf(
          inGroups(files),
          { ...env, SANDPOST_TEST_STORE: 'mongodb', SANDPOST_TEST_REDIS_URL: redis.url },
          ' [MongoDB]',
        );

  // All files share one mongod because its start takes longer than most of them.
  const folder = memoryFolder();
  const shared = await startMongod(1, folder);
  const env = { SANDPOST_TEST_MONGODB_URI: shared.uri };
  const openApi = path.join(folder, 'openapi.json');
  // Load the whole program, which unit tests need not wait for.
  const [{ openApiDocument }, { routes }] = await Promise.all([
    import('#api/openapi.ts'),
    import('#api/routes/index.ts'),
  ]);
  writeFileSync(openApi, JSON.stringify(openApiDocument(routes, 'http://localhost')));
  const light = { ...env, TMPDIR: folder, SANDPOST_TEST_OPENAPI: openApi };
  const busy = [
    ...unitJobs(env),
    // All of these are groups, which would end last and one by one.
    ...onBoth(onMongo, light),
    ...jobsOf(inGroups(possible([...tools, ...first])), light),
  ];
  const apiServer = !noKubernetes && long.some(needsApiServer) ? await shareApiServer() : null;
  const withServers = { ...env, ...apiServer?.env };
  const rows = [long.filter(needsApiServer), long.filter((file) => !needsApiServer(file))].map((files) =>
    jobsOf(inGroups(possible(files)), withServers),
  );
  yield* events('all side by side', busy, rows, atOnce);
  await apiServer?.close();
  await shared.close();

  if (alone.length > 0) await quiet;
  if (aloneOnMongo.length > 0) {
    const onDisk = await startMongod(1);
    const files = onBoth(aloneOnMongo, { SANDPOST_TEST_MONGODB_URI: onDisk.uri });
    yield* events('all alone on MongoDB', files, [], () => 1);
    await onDisk.close();
  }
  await redis?.server.remove();
  yield* events('all alone', jobsOf(each(possible(alone))), [], () => 1);
}

/** Runs the files one after the other in one cluster, because they install, upgrade and uninstall the same release. */
async function* onKubernetes(): AsyncGenerator<TestEvent> {
  const reason = noCluster();
  if (reason) return yield* report.skip('what needs a Kubernetes cluster', reason);
  const cluster = await startKubernetes();
  yield* events('all in the cluster', jobsOf(each(inKubernetes), cluster.env, '', ofCluster), [], () => 1);
  await cluster.close();
}

async function gathered(events: AsyncGenerator<TestEvent>): Promise<TestEvent[]> {
  const list: TestEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function* everything(): AsyncGenerator<TestEvent> {
  // Holds events back, because a reporter identifies tests by their order.
  const cluster = inKubernetes.length > 0 ? gathered(onKubernetes()) : Promise.resolve([]);
  const ended = () => {
    hasCluster = false;
  };
  cluster.then(ended, ended);
  if (chosen.length > inKubernetes.length) yield* onProcesses(cluster);
  yield* await cluster;
  yield* report.close();
  yield* longest();
  if (args.includes('--all')) keepDurations('test/durations.log', durations);
}

/** Reports the files and parts that took longest. */
function* longest(): Generator<TestEvent> {
  const most = durations.toSorted(([, some], [, others]) => others - some).slice(0, 30);
  for (const [what, seconds] of most)
    yield { type: 'test:diagnostic', data: { nesting: 0, message: `${seconds} s: ${what}`, level: 'info' } };
}

if (hasServers && !args.includes('--unbuilt')) await import('../build.ts');
await pipeline(everything, new spec(), process.stdout, { end: false });
process.exitCode = report.ok ? 0 : 1;
