import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { noCluster, startKubernetes } from '#test/support/kubernetes/kubernetes-cluster.ts';
import { type Runner, TestReport } from '#test/support/runner/test-report.ts';
import { startMongod } from '#test/support/stores/mongod.ts';
import { hasRedis, startRedis } from '#test/support/stores/redis-server.ts';

/**
 * Runs the tests, all or those with one of the arguments in their path, as in `npm test -- smtp`. Each file runs in a
 * process of its own, one more side by side than there are cores, because they wait for a third of their time. Tests of the
 * program run once on each store. Tests in a Kubernetes cluster, which wait for pods most of the time, run beside all but
 * those that measure delays. Servers are started, and the page is built, only if a chosen file is in test/.
 */
const wanted = process.argv.slice(2);
const found = globSync('**/*.test.ts', { exclude: ['**/node_modules/**', 'data/**'] })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
const inKubernetes = found.filter((file) => file.startsWith('test/cluster/'));
/** Tests that measure delays. Nothing else runs beside them. */
const measuring = found.filter((file) =>
  /^test\/(hostile\/|smtp\/load\.|faults\/cluster-limit\.)/.test(file),
);
/** Measuring tests that start servers of their own, or of bounds that hold before anything reaches a store. They run once. */
const once =
  /^test\/faults\/|^test\/hostile\/(bodies|connections|credentials|page|parsing|pipelining|send|sign-in|signatures|submissions)\.test/;
const files = found.filter((file) => !inKubernetes.includes(file) && !measuring.includes(file));
if (found.length === 0) {
  process.stderr.write(`No test file has one of these in its path: ${wanted.join(' ')}\n`);
  process.exit(1);
}
const ofTheProgram =
  /^test\/(api|smtp|upgrade|journeys\/(administer(-running)?|nodemailer|readme|real-mail|sendmail|swaks)|providers\/(requests|whole))[./]/;
const ofPartsOnly = /^test\/smtp\/(faults|limits|smtp-server-adapter)[.-]/;
const onBothStores = files.filter((file) => ofTheProgram.test(file) && !ofPartsOnly.test(file));
const ofRedis = /^test\/(redis\/|faults\/cluster|journeys\/readme-cluster)/;

const report = new TestReport();
const runnerWith =
  (env: NodeJS.ProcessEnv): Runner =>
  (chosen, atOnce = availableParallelism() + 1) =>
    run({
      files: chosen,
      concurrency: atOnce,
      timeout: 400_000,
      execArgv: ['--import', './test/support/runner/deadline.ts'],
      env: { ...process.env, ...env },
    });

/** Tests beside the sources, which need no server. */
const besideSources = (file: string) => !file.startsWith('test/');

/** Runs the tests on this machine. Those that measure delays begin when `quiet` has resolved. */
async function* onProcesses(quiet: Promise<unknown>): AsyncGenerator<TestEvent> {
  if (files.every(besideSources) && measuring.length === 0) {
    yield* report.add(files, runnerWith({}));
    return;
  }
  // One server of each kind for all files: its start takes longer than most of them.
  const mongo = await startMongod(1);
  const env = { SANDPOST_TEST_MONGODB_URI: mongo.uri };
  if (hasRedis()) {
    yield* report.add(files, runnerWith(env));
    const redis = await startRedis();
    const both = { ...env, SANDPOST_TEST_STORE: 'mongodb', SANDPOST_TEST_REDIS_URL: redis.url };
    if (onBothStores.length > 0) yield* report.add(onBothStores, runnerWith(both), ' [MongoDB]');
    const shared = measuring.filter((file) => !once.test(file));
    if (measuring.length > 0) await quiet;
    if (shared.length > 0) yield* report.add(shared, alone(runnerWith(both)), ' [MongoDB]');
    await redis.server.remove();
  } else {
    const without = files.filter((file) => !ofRedis.test(file));
    yield* report.add(without, runnerWith(env));
    yield* report.skip('what needs Redis', 'redis-server is not installed');
    if (measuring.length > 0) await quiet;
  }
  const rest = hasRedis() ? measuring : measuring.filter((file) => !ofRedis.test(file));
  if (rest.length > 0) yield* report.add(rest, alone(runnerWith({})));
  await mongo.close();
}

const alone =
  (run: Runner): Runner =>
  (chosen) =>
    run(chosen, 1);

/** Runs the files one after the other in one cluster, since they install, upgrade and uninstall the same release. */
async function* onKubernetes(): AsyncGenerator<TestEvent> {
  const reason = noCluster();
  if (reason) return yield* report.skip('what needs a Kubernetes cluster', reason);
  const cluster = await startKubernetes();
  // Pods end slowly, and twice as slowly on a busy machine.
  const env = { ...process.env, ...cluster.env };
  yield* report.add(inKubernetes, (chosen) => run({ files: chosen, concurrency: 1, timeout: 900_000, env }));
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
  cluster.catch(() => {});
  if (files.length + measuring.length > 0) yield* onProcesses(cluster);
  yield* await cluster;
  yield* report.close();
}

if (!found.every(besideSources)) await import('#api/web/build.ts');
await pipeline(everything, new spec(), process.stdout, { end: false });
process.exitCode = report.ok ? 0 : 1;
