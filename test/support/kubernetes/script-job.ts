import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { ApiServer } from './api-server.ts';
import type { Json } from './kubectl.ts';

/** Exit code and output of a script. */
export type ScriptRun = { code: number; stdout: string; stderr: string };

/**
 * Runs a script from one of the chart's Jobs as its pod would: with its ConfigMap's files, and with its service account's rights.
 * Requires the chart's own roles to be installed.
 */
export async function runScriptJob(
  server: ApiServer,
  manifests: Json[],
  component: string,
): Promise<ScriptRun> {
  const of = (kind: string): Json =>
    manifests.find(
      (item) => item.kind === kind && item.metadata.labels['app.kubernetes.io/component'] === component,
    );
  const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-job-'));
  try {
    for (const [name, content] of Object.entries<string>(of('ConfigMap').data)) {
      await writeFile(path.join(folder, name), content);
    }
    const { namespace, name } = of('ServiceAccount').metadata;
    const token = await server.kubectl.run('create', 'token', name, '-n', namespace);
    await writeFile(path.join(folder, 'token'), token);
    await writeFile(path.join(folder, 'ca.crt'), server.ca);
    const [, script] = of('Job').spec.template.spec.containers[0].command;
    const child = spawn(process.execPath, [path.join(folder, path.basename(script))], {
      env: {
        SERVICE_ACCOUNT_DIR: folder,
        NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.crt'),
        KUBERNETES_SERVICE_HOST: new URL(server.url).hostname,
        KUBERNETES_SERVICE_PORT: new URL(server.url).port,
      },
      stdio: 'pipe',
    });
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, stdout, stderr };
  } finally {
    await rm(folder, { recursive: true });
  }
}
