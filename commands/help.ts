import { settings } from '#setup/settings.ts';
import { programVersion } from '#telemetry/program-version.ts';

const commands: [string, string][] = [
  ['dev', 'catches all mail sent to this machine, for one person, without a sign-in or key'],
  ['', '--like mailpit listens on ports 1025 and 8025, --like maildev on 1025 and 1080'],
  [
    'mailpit',
    "replaces Mailpit's image: accepts the same MP_ variables and options. Anybody who can reach it needs no key",
  ],
  ['start', 'runs everything in one process, on the embedded store or on the configured cluster store'],
  ['api', 'runs only the API, on the cluster store. You can run any number of these processes'],
  ['smtp', 'runs only the SMTP listener, on the cluster store. You can run any number of these processes'],
  ['operator', 'creates domains, accounts and API keys from Kubernetes resources, on the cluster store'],
  [
    'check-upgrade',
    'shows what this version would change in the store, or why it cannot use the store. Changes nothing',
  ],
  ['export', 'writes the whole store to a folder: sandpost export FOLDER'],
  ['import', 'imports an exported folder into the store: sandpost import FOLDER [--trust-people]'],
  ['', 'Existing teams receive only mail; --trust-people also adds members, keys, identities and passwords'],
  [
    'backup',
    'copies the embedded store to a folder, even while sandpost start is running: sandpost backup FOLDER',
  ],
  ['clients', 'writes the clients for test code to a folder: sandpost clients FOLDER'],
  ['users', 'list | add EMAIL | password EMAIL | disable EMAIL | enable EMAIL | remove EMAIL'],
  ['', 'Manages users. add and password read the password from standard input'],
  [
    'teams',
    'list | add NAME | remove NAME. Lists all teams except personal ones. Adds and removes managed teams',
  ],
  ['assert', 'checks mail through the API at SANDPOST_URL with SANDPOST_API_KEY: sandpost assert FILE'],
  ['', '[--junit REPORT] [--github] [--gitlab REPORT]'],
  ['', '[--set NAME=VALUE …]. FILE contains one assertion or a list; --set fills in its placeholders'],
  [
    'share',
    'prints a share link to a message or an account: sandpost share MESSAGE_ID|ADDRESS [--expires 7d]',
  ],
  ['sendmail', 'sends the message on standard input, like the classic sendmail: -t, -i, -f, recipients'],
];

/** Returns the output of `sandpost --help`: commands, and all settings with their variables. */
export function help(): string {
  return [
    'Sandpost: an email sandbox for your whole team.',
    '',
    'Usage: sandpost <command> [--option value …]',
    '',
    'Commands:',
    ...commands.map(([name, text]) => `  ${name.padEnd(13)} ${text}`),
    '',
    'On the embedded store, stop sandpost start before you run users, teams, export or import. On the cluster store, run them',
    'while the other processes are running.',
    '',
    'Settings. Each is an option and an environment variable. To read a secret from a file, set …_FILE to its path:',
    ...settings.map(
      ({ option, variable, help, fallback }) =>
        `  ${`--${option}`.padEnd(22)} ${variable.padEnd(30)} ${help}${fallback === 'none' ? '' : `; default: ${fallback}`}`,
    ),
    '',
  ].join('\n');
}

export function version(): string {
  return `sandpost ${programVersion}\n`;
}
