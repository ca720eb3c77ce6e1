import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '#test/support/runner/until.ts';
import { cluster, pullSecret } from './release.ts';

const folder = 'test/cluster/jobs';
const image = process.env.SANDPOST_TEST_IMAGE ?? '';

/** JSON object that a script prints on one line. */
export type Line = Record<string, unknown>;

/** Job that runs a script from `test/cluster/jobs` in a namespace, with the ApiKey's Secret as its environment. */
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
    { secret, env, suspend = false }: { secret: string; env: Record<string, string>; suspend?: boolean },
  ): Promise<ClusterJob> {
    const job = jobOf(namespace, name, script, secret, env);
    await cluster.apply(scripts(namespace, name), { ...job, spec: { ...job.spec, suspend } });
    return new ClusterJob(namespace, name);
  }

  /**
   * Waits until the script prints a line with this key, and returns the line. Follows the log with one kubectl: polling ten Jobs
   * twice a second would keep two cores busy.
   */
  async line(key: string, withinMs = 240_000): Promise<Line> {
    let found: Line | undefined;
    const printed = async () => {
      // kubectl ends immediately while the container is being created.
      for await (const text of cluster.follow('logs', '--follow', ...this.#named())) {
        const line = parsed(text);
        if (line === null || !(key in line)) continue;
        found = line;
        return true;
      }
      if ((await this.#conditions()) === '') return false;
      throw new Error(`job ${this.name} has not printed ${key}:\n${await this.#output()}`);
    };
    await until(printed, withinMs, 1000);
    return found ?? {};
  }

  /** Waits until the Job is complete and returns its last line. Throws with the whole output if the Job fails. */
  async result(withinSeconds = 300): Promise<Line> {
    // A Job has no condition before its end.
    const ended = ['--for=jsonpath={.status.conditions}', `--timeout=${withinSeconds}s`];
    await cluster.run('wait', ...ended, ...this.#named());
    const conditions = await this.#conditions();
    const output = await this.#output();
    if (conditions.includes('Fail')) throw new Error(`job ${this.name} failed:\n${output}`);
    return (
      output
        .split('\n')
        .map(parsed)
        .findLast((line) => line !== null) ?? {}
    );
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

  #named(): string[] {
    return ['--namespace', this.namespace, `job/${this.name}`];
  }

  /** Returns the types of the Job's conditions. A Job has none before its end. */
  #conditions(): Promise<string> {
    return cluster.run('get', '--output=jsonpath={.status.conditions[*].type}', ...this.#named());
  }

  async #output(): Promise<string> {
    return (await cluster.try(['logs', ...this.#named()])).stdout;
  }
}

/** Returns the object in a line of output, or null if the line is other text. */
const parsed = (text: string): Line | null => (text.startsWith('{') ? JSON.parse(text) : null);

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
        imagePullSecrets: [{ name: pullSecret }],
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
            // Mounted beside the program's packages, so a script can import them.
            volumeMounts: [{ name: 'scripts', mountPath: `/app/${folder}` }],
          },
        ],
        volumes: [{ name: 'scripts', configMap: { name } }],
      },
    },
  },
});
