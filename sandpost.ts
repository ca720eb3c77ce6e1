import { help, version } from '#commands/help.ts';
import { withoutUndici } from '#commands/without-undici.ts';
import { type Config, ConfigError, readConfig } from '#setup/config.ts';
import { parseOptions } from '#setup/parse-options.ts';
import { settings } from '#setup/settings.ts';
import { refuseUnknownVariables } from '#setup/variables.ts';
import { redact, reportError, sentenceOf } from '#telemetry/redact.ts';

type Run = (config: Config, operand: string) => Promise<void>;
/**
 * Command, and the operand that follows its name. `run` loads the command's modules. So does `trusting`, which runs the command with the
 * flag `--trust-people`.
 */
type Command = { operand?: string; run: Run; trusting?: Run };

const administration = () => import('./commands/administer.ts');
const archive = () => import('./commands/store.ts');

/** Runs an administrator's use case on the operand. */
function act(useCase: Parameters<typeof import('./commands/administer.ts').act>[1]): Run {
  return async (config, operand) => (await administration()).act(config, useCase, operand);
}

/** Commands by name. A name has one or two words. */
const commands: Record<string, Command> = {
  dev: { run: async (config) => (await import('./commands/start.ts')).dev(config) },
  start: { run: async (config) => (await import('#commands/start.ts')).start(config) },
  api: { run: async (config) => (await import('#commands/api.ts')).api(config) },
  smtp: { run: async (config) => (await import('#commands/smtp.ts')).smtp(config) },
  operator: { run: async (config) => (await import('#commands/operator.ts')).operator(config) },
  'check-upgrade': {
    run: async (config) => (await import('./commands/store.ts')).checkUpgrade(config),
  },
  export: { operand: 'FOLDER', run: async (...args) => (await archive()).exportTo(...args) },
  import: {
    operand: 'FOLDER',
    run: async (...args) => (await archive()).importFrom(...args),
    trusting: async (...args) => (await archive()).importFrom(...args, { trustPeople: true }),
  },
  backup: {
    operand: 'FOLDER',
    run: async (...args) => (await import('./commands/store.ts')).backup(...args),
  },
  clients: {
    operand: 'FOLDER',
    run: async (_config, folder) => (await import('#commands/clients.ts')).writeClients(folder),
  },
  'users list': { run: async (config) => (await administration()).listUsers(config) },
  'users add': { operand: 'EMAIL', run: async (...args) => (await administration()).add(...args) },
  'users password': { operand: 'EMAIL', run: async (...args) => (await administration()).password(...args) },
  'users disable': { operand: 'EMAIL', run: act('disableUser') },
  'users enable': { operand: 'EMAIL', run: act('enableUser') },
  'users remove': { operand: 'EMAIL', run: act('removeUser') },
  'teams list': { run: async (config) => (await administration()).listTeams(config) },
  'teams add': { operand: 'NAME', run: act('addManagedTeam') },
  'teams remove': { operand: 'NAME', run: act('removeNamedTeam') },
};

/** Runs the command that the arguments name. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  if (args[0] === 'assert')
    return (await import('#commands/assert.ts')).assertFile(args.slice(1), process.env);
  if (args[0] === 'share') return (await import('#commands/share.ts')).shareLink(args.slice(1), process.env);
  if (args.includes('--help')) return print(help());
  if (args[0] === 'sendmail')
    return (await import('#commands/sendmail.ts')).sendmail(args.slice(1), process.env);
  if (args[0] === 'mailpit')
    return (await import('#commands/mailpit.ts')).mailpit(args.slice(1), process.env);
  const { values, trustPeople, like, positionals } = readOptions(args);
  const [first] = positionals;
  if (values.version) return print(version());
  if (values.help || first === undefined) return print(help());
  const actions = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  const words = actions.length > 0 ? 2 : 1;
  const name = positionals.slice(0, words).join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    return refuse(words === 1 ? `unknown command "${name}"` : `use one of: ${actions.join(', ')}`);
  const [operand, ...more] = positionals.slice(words);
  const surplus = command.operand === undefined ? operand : more[0];
  if (surplus !== undefined) return refuse(`unexpected argument "${surplus}"`);
  if (command.operand !== undefined && operand === undefined)
    return refuse(`the ${command.operand} is missing: sandpost ${name} ${command.operand}`);
  const runs = trustPeople ? command.trusting : command.run;
  if (runs === undefined) return refuse('--trust-people is an option of sandpost import');
  if (like !== undefined && name !== 'dev') return refuse('--like is an option of sandpost dev');
  const ports = Object.hasOwn(portsLike, like ?? '') ? portsLike[like ?? ''] : undefined;
  if (like !== undefined && ports === undefined)
    return refuse(`--like must be one of: ${Object.keys(portsLike).join(', ')}`);
  withoutUndici();
  refuseUnknownVariables(process.env);
  // Nothing probes a process that runs for one person, and another process on the machine may use the port.
  const env = name === 'dev' ? { SANDPOST_OPS_PORT: '0', ...process.env } : process.env;
  await runs(readConfig(env, { ...ports, ...values }), operand ?? '');
  return 0;
}

type Values = Record<string, string | undefined>;

/** Ports of other servers, by the name of the server in `--like`. A port option overrides them. */
const portsLike: Record<string, Values> = {
  mailpit: { 'smtp-port': '1025', 'http-port': '8025' },
  maildev: { 'smtp-port': '1025', 'http-port': '1080' },
};

type Options = { values: Values; trustPeople: boolean; like: string | undefined; positionals: string[] };

function readOptions(args: string[]): Options {
  const options = Object.fromEntries(settings.map(({ option }) => [option, { type: 'string' as const }]));
  const flags = {
    help: { type: 'boolean' as const, short: 'h' },
    version: { type: 'boolean' as const, short: 'v' },
    'trust-people': { type: 'boolean' as const },
    like: { type: 'string' as const },
  };
  try {
    const parsed = parseOptions({ args, options: { ...options, ...flags }, allowPositionals: true });
    const { 'trust-people': trustPeople, like, ...values } = parsed.values;
    return {
      values: values as Values,
      trustPeople: trustPeople === true,
      like: typeof like === 'string' ? like : undefined,
      positionals: parsed.positionals,
    };
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

// Node would print all of the error's properties, and driver errors contain commands with their arguments.
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
