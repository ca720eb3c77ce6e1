import { parseArgs } from 'node:util';
import { help, version } from '#commands/help.ts';
import { withoutUndici } from '#commands/without-undici.ts';
import { type Config, ConfigError, readConfig } from '#core/config.ts';
import { redact, reportError, sentenceOf } from '#core/redact.ts';
import { optionOf, settings } from '#core/settings.ts';

/** Commands by name. Each loads its modules when it runs. */
const commands: Record<string, (config: Config, folder: string) => Promise<void>> = {
  dev: async (config) => (await import('#commands/dev.ts')).dev(config),
  start: async (config) => (await import('#commands/start.ts')).start(config),
  api: async (config) => (await import('#commands/api.ts')).api(config),
  smtp: async (config) => (await import('#commands/smtp.ts')).smtp(config),
  operator: async (config) => (await import('#commands/operator.ts')).operator(config),
  export: async (config, folder) => (await import('#commands/archive.ts')).exportTo(config, folder),
  import: async (config, folder) => (await import('#commands/archive.ts')).importFrom(config, folder),
};
const takeFolder = ['export', 'import'];

/** Runs the command that the arguments name, and gives the exit code. */
async function main(args: string[]): Promise<number> {
  if (args[0] === 'sendmail')
    return (await import('#commands/sendmail.ts')).sendmail(args.slice(1), process.env);
  const { values, positionals } = readOptions(args);
  const [name, folder, ...more] = positionals;
  if (values.version) return print(version());
  if (values.help || name === undefined) return print(help());
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return refuse(`there is no command "${name}"`);
  const surplus = takeFolder.includes(name) ? more[0] : folder;
  if (surplus !== undefined) return refuse(`unexpected argument "${surplus}"`);
  if (takeFolder.includes(name) && folder === undefined)
    return refuse(`the folder is missing: sandpost ${name} FOLDER`);
  withoutUndici();
  await command(readConfig(process.env, values), folder ?? '');
  return 0;
}

type Values = Record<string, string | undefined>;

function readOptions(args: string[]): { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    settings.map((setting) => [optionOf(setting), { type: 'string' as const }]),
  );
  const flags = {
    help: { type: 'boolean' as const, short: 'h' },
    version: { type: 'boolean' as const, short: 'v' },
  };
  try {
    const parsed = parseArgs({ args, options: { ...options, ...flags }, allowPositionals: true });
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (error) {
    throw new ConfigError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(reason: string): number {
  process.stderr.write(`sandpost: ${redact(reason)}; see sandpost --help\n`);
  return 2;
}

// Node would print all properties of the error, and the errors of a driver carry commands with their arguments.
process.on('uncaughtException', (error) => {
  process.stderr.write(`sandpost: ${JSON.stringify(reportError(error))}\n`);
  process.exit(1);
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`sandpost: ${sentenceOf(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
