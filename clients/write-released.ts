import { readFileSync, writeFileSync } from 'node:fs';
import { programVersion } from '#telemetry/program-version.ts';
import { packClients } from './pack/pack-clients.ts';

/** Adds this version's files to the list of released files, once, when releasing: `node clients/write-released.ts`. */
const list = new URL('./released.json', import.meta.url);
const released: Record<string, string> = JSON.parse(readFileSync(list, 'utf8'));
for (const { name, sha512 } of await packClients(programVersion)) {
  released[name] ??= sha512;
  if (released[name] !== sha512)
    throw new Error(`the released ${name} has different bytes: raise the version`);
}
writeFileSync(list, `${JSON.stringify(released, null, 2)}\n`);
