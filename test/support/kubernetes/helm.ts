import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { kubectl, noKubernetes } from './kubernetes-binaries.ts';

const chart = 'charts/sandpost';
const helm = path.join(path.dirname(kubectl), 'helm');

/** Why tests that need Helm are skipped, or false. */
export const noHelm: string | false = noKubernetes || (isThere() ? false : 'helm is not built here');

/** Runs helm; gives its output, throws with what it said where it fails. */
export async function runHelm(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(helm, args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** The manifests of a release named `sandpost`, as YAML. */
export function render(namespace: string, ...args: string[]): Promise<string> {
  return runHelm('template', 'sandpost', chart, '--namespace', namespace, ...args);
}

/** What Helm says of values that it refuses. */
export async function refusalOf(...args: string[]): Promise<string> {
  try {
    await render('default', ...args);
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  }
  throw new Error(`helm template was not refused: ${args.join(' ')}`);
}

function isThere(): boolean {
  try {
    accessSync(helm, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
