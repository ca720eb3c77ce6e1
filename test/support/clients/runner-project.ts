import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { packClients } from '#clients/pack/pack-clients.ts';
import { programVersion } from '#telemetry/program-version.ts';
import { quickestPath } from '#test/once/web/support/browser.ts';
import type { Process } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';

const runners = path.resolve('test/tools/clients/runners/node_modules');

/** Returns the reason why JavaScript test runners cannot be used, or false. */
export const withoutRunners = existsSync(runners)
  ? false
  : 'test/setup.sh, which installs runners of tests, was not run';

/** Result of a test runner. */
type Run = { code: number; output: string };

/** Project of a user, with the packed client and the test runners installed. Its files are ES modules. */
export type Project = {
  folder: string;
  write(name: string, text: string): Promise<void>;
  /** Runs `vitest`, `jest`, `playwright` or `tsc`. */
  run(command: string, args: string[], env?: Record<string, string>): Promise<Run>;
};

/** Module `send.js` of a project, which sends an email by SMTP, as the application under test does. */
export const sender = `
import { connect } from 'node:net';
export async function send(to, subject, text = 'Your code is 493817.') {
  const socket = connect(Number(process.env.SMTP_PORT), '127.0.0.1').setEncoding('utf8');
  const lines = ['EHLO a', 'MAIL FROM:<shop@example.com>', 'RCPT TO:<' + to + '>', 'DATA',
    'From: shop@example.com\\r\\nTo: ' + to + '\\r\\nSubject: ' + subject + '\\r\\n\\r\\n' + text +
    '\\r\\nhttps://shop.example/verify?t=' + Math.random() + '\\r\\n.', 'QUIT'];
  for await (const reply of socket) if (/^\\d{3} /m.test(reply)) {
    if (lines.length === 0) break;
    socket.write(lines.shift() + '\\r\\n');
  }
}
`;

/** Creates a project whose tests use a `sandpost dev` process. */
export async function makeProject({ ports }: Pick<Process, 'ports'>): Promise<Project> {
  const settings = { SANDPOST_URL: `http://127.0.0.1:${ports.http}`, SMTP_PORT: `${ports.smtp}` };
  const folder = await temporaryDir();
  await install(path.join(folder, 'node_modules'));
  const project: Project = {
    folder,
    async write(name, text) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    run(command, args, env = {}) {
      const { PATH, HOME } = process.env;
      const options = { cwd: folder, env: { PATH, HOME, NO_COLOR: '1', ...settings, ...env } };
      const from = command === 'tsc' ? 'node_modules' : runners;
      return promisify(execFile)(path.resolve(from, '.bin', command), args, options).then(
        ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
        ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
      );
    },
  };
  await project.write('package.json', JSON.stringify({ type: 'module' }));
  await project.write('send.js', sender);
  return project;
}

/** Installs the packed client beside links to the runners. */
async function install(modules: string): Promise<void> {
  const client = path.join(modules, '@sandpost/client');
  await mkdir(client, { recursive: true });
  for (const name of await readdir(runners)) {
    if (!name.startsWith('.')) await symlink(path.join(runners, name), path.join(modules, name));
  }
  const files = await packClients(programVersion);
  const archive = files.find(({ language }) => language === 'javascript')?.bytes ?? Buffer.alloc(0);
  const file = path.join(modules, 'client.tgz');
  await writeFile(file, archive);
  await promisify(execFile)('tar', ['-xzf', file, '--strip-components=1', '-C', client]);
}

/** Playwright settings for this machine's browser. */
export const inBrowser = { launchOptions: { executablePath: quickestPath, args: ['--no-sandbox'] } };
