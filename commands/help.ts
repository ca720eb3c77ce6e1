import { settings } from '#setup/settings.ts';
import { programVersion } from '#telemetry/program-version.ts';

const commands: [string, string][] = [
  ['dev', 'catches all mail of this machine, for one person, without sign-in or key'],
  ['', '--like mailpit listens on its ports, 1025 and 8025, and --like maildev on 1025 and 1080'],
  ['start', 'runs everything in one process, on the embedded store, or on the cluster store if that is set'],
  ['api', 'runs the API alone, as one of any number of processes on the cluster store'],
  ['smtp', 'runs the SMTP listener alone, as one of any number of processes on the cluster store'],
  ['operator', 'creates domains, accounts and API keys from Kubernetes resources, on the cluster store'],
  [
    'check-upgrade',
    'tells what this version would do to the store, or why it cannot use it; changes nothing',
  ],
  ['export', 'writes the whole store into a folder: sandpost export FOLDER'],
  ['import', 'reads an exported folder into the store: sandpost import FOLDER [--trust-people]'],
  ['', 'teams that are there get mail alone; --trust-people adds members, keys, identities and passwords'],
  ['backup', 'copies the embedded store into a folder while sandpost start runs: sandpost backup FOLDER'],
  ['clients', 'writes the clients for test code into a folder: sandpost clients FOLDER'],
  ['users', 'list | add EMAIL | password EMAIL | disable EMAIL | enable EMAIL | remove EMAIL'],
  ['', 'manages users; add and password read the password from standard input'],
  ['teams', 'list | add NAME | remove NAME: manages shared teams, and those that an administrator makes'],
  ['assert', 'checks mail by the API at SANDPOST_URL with SANDPOST_API_KEY: sandpost assert FILE'],
  ['', '[--junit REPORT] [--set NAME=VALUE …]; FILE has one assertion or a list, with placeholders of --set'],
  [
    'share',
    'prints a share link of a message or an account: sandpost share MESSAGE_ID|ADDRESS [--expires 7d]',
  ],
  ['sendmail', 'sends the message on standard input, like the classic command: -t, -i, -f, recipients'],
];

/** Returns the text of `sandpost --help`: commands, and all settings with their variables. */
export function help(): string {
  return [
    'Sandpost: an email sandbox for a whole team.',
    '',
    'Usage: sandpost <command> [--option value …]',
    '',
    'Commands:',
    ...commands.map(([name, text]) => `  ${name.padEnd(13)} ${text}`),
    '',
    'users, teams, export and import use the embedded store alone: stop sandpost start before. On the cluster store they run',
    'beside the other processes.',
    '',
    'Settings, each as option or as environment variable (a secret also as a file named by …_FILE):',
    ...settings.map(
      ({ option, variable, help }) => `  ${`--${option}`.padEnd(22)} ${variable.padEnd(30)} ${help}`,
    ),
    '',
  ].join('\n');
}

/** Returns the text of `sandpost --version`. */
export function version(): string {
  return `sandpost ${programVersion}\n`;
}
