import { outlookOf } from '#core/store-version.ts';
import type { Config } from '#setup/config.ts';
import { readUpgrade } from '#setup/services.ts';
import { programVersion } from '#telemetry/program-version.ts';

/** Prints what this program would do to the store that the settings name. Throws an error of one sentence if it cannot use it. */
export async function checkUpgrade(config: Config): Promise<void> {
  const outlook = outlookOf(await readUpgrade(config));
  process.stdout.write(`sandpost ${programVersion}: ${outlook}\n`);
}
