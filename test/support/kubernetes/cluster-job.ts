import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '#test/support/runner/until.ts';
import { cluster } from './release.ts';

const folder = 'test/cluster/jobs';
/** Interval of polls in ms. Each poll is a run of kubectl. */
const pollMs = 500;
const image = process.env.SANDPOST_TEST_IMAGE ?? '';

/** JSON object that a script prints on one line. */
export type Line = Record<string, unknown>;

/** Job that runs a script of `test/cluster/jobs` in a namespace, with the ApiKey's Secret as its environment. */
export class ClusterJob {
  readonly namespace: string;
  readonly name: string;

  private constructor(namespace: string, name: string) {
    this.namespace = namespace;
    this.name = name;
  }

  static async start(
    namespace: string,
    name: string,
    script: string,
    { secret, env }: { secret: string; env: Record<string, string> },
  ): Promise<ClusterJob> {
    await cluster.apply(scripts(namespace, name), jobOf(namespace, name, script, secret, env));
    return new ClusterJob(namespace, name);
  }

  /** Returns the lines that the script has printed so far. */
  async lines(): Promise<Line[]> {
    const { stdout } = await cluster.try(['logs', '-n', this.namespace, `job/${this.name}`]);
    return stdout
      .split('\n')
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text));
  }

  /** Waits until the script has printed a line with this key, and gives the line. */
  async line(key: string, withinMs = 240_000): Promise<Line> {
    let found: Line | undefined;
    await until(
      async () => {
        await this.#refuseFailure();
        found = (await this.lines()).find((line) => key in line);
        return found !== undefined;
      },
      withinMs,
      pollMs,
    );
    return found ?? {};
  }

  /** Waits until the Job is complete and gives its last line. Throws with the whole output if it fails. */
  async result(withinMs = 300_000): Promise<Line> {
    await until(
      async () => {
        await this.#refuseFailure();
        return (await this.#condition('Complete')) === 'True';
      },
      withinMs,
      pollMs,
    );
    return (await this.lines()).at(-1) ?? {};
  }

  /** Asks the script to end: SIGTERM to its process. */
  async interrupt(): Promise<void> {
    const pods = await cluster.run(
      'get',
      'pods',
      '-n',
      this.namespace,
      '-l',
      `job-name=${this.name}`,
      '-o',
      'name',
    );
    await cluster.run('exec', '-n', this.namespace, pods.trim(), '--', 'sh', '-c', 'kill -TERM 1');
  }

  async #refuseFailure(): Promise<void> {
    if ((await this.#condition('Failed')) !== 'True') return;
    const { stdout } = await cluster.try(['logs', '-n', this.namespace, `job/${this.name}`]);
    throw new Error(`job ${this.name} failed:\n${stdout}`);
  }

  #condition(type: string): Promise<string> {
    const status = `jsonpath={.status.conditions[?(@.type=="${type}")].status}`;
    return cluster.run('get', 'job', this.name, '-n', this.namespace, '-o', status);
  }
}

const scripts = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data: Object.fromEntries(
    globSync(`${folder}/*.ts`).map((file) => [path.basename(file), readFileSync(file, 'utf8')]),
  ),
});

const jobOf = (
  namespace: string,
  name: string,
  script: string,
  secret: string,
  env: Record<string, string>,
) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace, name },
  spec: {
    backoffLimit: 0,
    template: {
      spec: {
        restartPolicy: 'Never',
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 5,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'test',
            image,
            command: ['node', `/app/${folder}/${script}`],
            envFrom: [{ secretRef: { name: secret } }],
            env: Object.entries(env).map(([name, value]) => ({ name, value })),
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            // Mounted beside the program's packages, so that a script may import them.
            volumeMounts: [{ name: 'scripts', mountPath: `/app/${folder}` }],
          },
        ],
        volumes: [{ name: 'scripts', configMap: { name } }],
      },
    },
  },
});
