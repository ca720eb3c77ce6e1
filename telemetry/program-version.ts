import { readFileSync } from 'node:fs';

const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

/** Version of this program, from its package.json. The chart and the API document have the same version. */
export const { version: programVersion }: { version: string } = JSON.parse(file);
