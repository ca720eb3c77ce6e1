import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { cluster, createNamespace, release } from './release.ts';

/** Runs a test in the real cluster. If it fails, prints the cluster's logs and events. */
export function clusterTest(name: string, body: (t: TestContext) => Promise<void>): void {
  test(name, async (t) => {
    const begun = new Date().toISOString();
    try {
      await body(t);
    } catch (error) {
      process.stderr.write(await whatHappened(begun));
      throw error;
    }
  });
}

/** Creates a namespace for one test, and deletes it afterward. Its pods end during the next test. */
export async function newNamespace(t: TestContext): Promise<string> {
  const name = `tenant-${randomBytes(4).toString('hex')}`;
  await createNamespace(name);
  t.after(() => cluster.try(['delete', 'namespace', name, '--ignore-not-found', '--wait=false']));
  return name;
}

/** Returns the pods in all namespaces, events, and the last lines of each of the release's pods. */
async function whatHappened(since: string): Promise<string> {
  const logs = ['api', 'smtp', 'operator'].map((component) => [
    ...['logs', '-n', release.namespace, '-l', `app.kubernetes.io/component=${component}`],
    ...['--prefix', '--tail=60', `--since-time=${since}`],
  ]);
  const commands = [
    ['get', 'pods', '-A', '-o', 'wide'],
    ['get', 'events', '-A', '--sort-by=.metadata.creationTimestamp'],
    ...logs,
  ];
  const said: string[] = [];
  for (const command of commands) {
    const { stdout, stderr } = await cluster.try(command);
    said.push(`--- kubectl ${command.join(' ')}\n${stdout.split('\n').slice(-80).join('\n')}\n${stderr}`);
  }
  return said.join('\n');
}
