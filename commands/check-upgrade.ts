import type { Config } from '#core/config.ts';
import { programVersion } from '#core/program-version.ts';
import { readUpgrade } from '#core/services.ts';
import { outlookOf } from '#core/store-version.ts';

/** Prints what this program would do to the store that the settings name. Throws an error of one sentence if it cannot use it. */
export async function checkUpgrade(config: Config): Promise<void> {
  const outlook = outlookOf(await readUpgrade(config));
  process.stdout.write(`sandpost ${programVersion}: ${outlook}\n`);
}
