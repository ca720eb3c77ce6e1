import { readFileSync } from 'node:fs';

const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

/** The version of this program, as its package tells it. */
export const { version: programVersion }: { version: string } = JSON.parse(file);
