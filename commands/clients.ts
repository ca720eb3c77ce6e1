import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packClients } from '#clients/pack/pack-clients.ts';
import { programVersion } from '#telemetry/program-version.ts';

/** Writes all clients' files into a folder, creating it if missing, and prints their paths. */
export async function writeClients(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, bytes } of await packClients(programVersion)) {
    const file = path.join(folder, name);
    await writeFile(file, bytes);
    process.stdout.write(`${file}\n`);
  }
}
