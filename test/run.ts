import { globSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { noCluster, startKubernetes } from '#test/support/kubernetes/kubernetes-cluster.ts';
import { type Runner, TestReport } from '#test/support/runner/test-report.ts';
import { startMongod } from '#test/support/stores/mongod.ts';
import { startRedis, withoutRedis } from '#test/support/stores/redis-server.ts';

/**
 * Runs tests. The folder of a file says how it runs, as the table in CONTRIBUTING.md explains. Without arguments: what
 * needs neither root nor a cluster, in a few minutes. `--rest` runs what that leaves out, `--all` both. Any other argument
 * chooses the files with that text in their path, with or without the folder that says how: `test/smtp`.
 *
 * Each file has a process of its own, one more side by side than there are cores, because they wait for a third of their
 * time. Tests in a Kubernetes cluster, which wait for pods most of the time, run beside all but those that run alone, in place
 * of the one more.
 */
const args = process.argv.slice(2);
const parts = args.filter((arg) => !arg.startsWith('--'));
const runsAll = args.includes('--all') || parts.length > 0;
const runsRest = runsAll || args.includes('--rest');
const runsFirst = runsAll || !runsRest;

const how = /^test\/(once|each-store|long|alone\/once|alone\/each-store|cluster)\//;
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
const first = [...unit, ...(runsFirst ? [...inFolder('once'), ...eachStore] : [])];
const long = runsRest ? inFolder('long') : [];
const onMongo = runsRest ? eachStore : [];
const aloneOnMongo = runsRest ? inFolder('alone/each-store') : [];
const alone = runsRest ? [...aloneOnMongo, ...inFolder('alone/once')] : [];
const inKubernetes = runsRest ? inFolder('cluster') : [];

const chosen = [...first, ...long, ...onMongo, ...alone, ...inKubernetes];
if (chosen.length === 0) {
  process.stderr.write(`No test file has one of these in its path: ${parts.join(' ')}\n`);
  process.exit(1);
}
const hasServers = chosen.length > unit.length;

/** Files whose tests all need Redis. `replicas` are several processes of the program on one store. */
const needsRedis = (file: string) => /\/(redis|replicas)\//.test(file);

// Compiled sources, as `bin/sandpost` keeps them: each process and thread of the files would compile them anew.
process.env.NODE_COMPILE_CACHE ??= path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'sandpost/compiled',
);

const report = new TestReport();
/** Files side by side. Changes when the tests in a cluster have ended. */
let atOnce = availableParallelism() + (inKubernetes.length > 0 ? 0 : 1);
const runnerWith =
  (env: NodeJS.ProcessEnv, most?: number): Runner =>
  (files) =>
    run({
      files,
      concurrency: most ?? atOnce,
      timeout: 600_000,
      execArgv: ['--import', './test/support/runner/deadline.ts'],
      env: { ...process.env, ...env },
    });

/** Runs the tests on this machine. Those that run alone begin when `quiet` has resolved. */
async function* onProcesses(quiet: Promise<unknown>): AsyncGenerator<TestEvent> {
  if (!hasServers) {
    yield* report.add(unit, runnerWith({}));
    return;
  }
  const noRedis = withoutRedis();
  const possible = (files: string[]) => (noRedis ? files.filter((file) => !needsRedis(file)) : files);
  // One server of each kind for all files: its start takes longer than most of them.
  const mongo = await startMongod(1);
  const env = { SANDPOST_TEST_MONGODB_URI: mongo.uri };
  if (noRedis) yield* report.skip('what needs Redis', noRedis);
  yield* added(possible(first), runnerWith(env));
  yield* added(possible(long), runnerWith(env));
  if (!noRedis && onMongo.length + aloneOnMongo.length > 0) {
    const redis = await startRedis();
    const both = { ...env, SANDPOST_TEST_STORE: 'mongodb', SANDPOST_TEST_REDIS_URL: redis.url };
    yield* added(onMongo, runnerWith(both), ' [MongoDB]');
    if (aloneOnMongo.length > 0) await quiet;
    yield* added(aloneOnMongo, runnerWith(both, 1), ' [MongoDB]');
    await redis.server.remove();
  }
  await mongo.close();
  if (alone.length > 0) await quiet;
  yield* added(possible(alone), runnerWith({}, 1));
}

async function* added(files: string[], runner: Runner, label?: string): AsyncGenerator<TestEvent> {
  if (files.length > 0) yield* report.add(files, runner, label);
}

/** Runs the files one after the other in one cluster, since they install, upgrade and uninstall the same release. */
async function* onKubernetes(): AsyncGenerator<TestEvent> {
  const reason = noCluster();
  if (reason) return yield* report.skip('what needs a Kubernetes cluster', reason);
  const cluster = await startKubernetes();
  // Pods end slowly, and twice as slowly on a busy machine.
  const env = { ...process.env, ...cluster.env };
  yield* report.add(inKubernetes, (files) => run({ files, concurrency: 1, timeout: 900_000, env }));
  await cluster.close();
}

async function gathered(events: AsyncGenerator<TestEvent>): Promise<TestEvent[]> {
  const list: TestEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function* everything(): AsyncGenerator<TestEvent> {
  // Holds the events back, since a reporter tells tests apart by their order.
  const cluster = inKubernetes.length > 0 ? gathered(onKubernetes()) : Promise.resolve([]);
  const ended = () => {
    atOnce = availableParallelism() + 1;
  };
  cluster.then(ended, ended);
  if (chosen.length > inKubernetes.length) yield* onProcesses(cluster);
  yield* await cluster;
  yield* report.close();
}

if (hasServers) await import('#api/web/build.ts');
await pipeline(everything, new spec(), process.stdout, { end: false });
process.exitCode = report.ok ? 0 : 1;
