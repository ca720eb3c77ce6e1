import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { kubectl, noKubernetes } from './kubernetes-binaries.ts';

const chart = 'charts/sandpost';
const helm = path.join(path.dirname(kubectl), 'helm');

/** Reason to skip tests that need Helm, or false. */
export const noHelm: string | false = noKubernetes || (isThere() ? false : 'helm is not built here');

/** Runs helm and returns its output. Throws with its error output if it fails. */
export async function runHelm(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(helm, args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** Returns the manifests of a release named `sandpost`, as YAML. */
export function render(namespace: string, ...args: string[]): Promise<string> {
  return runHelm('template', 'sandpost', chart, '--namespace', namespace, ...args);
}

/** Returns Helm's message for values that it refuses. */
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
