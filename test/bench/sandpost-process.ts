import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type ChildServer, startChild } from './child-server.ts';

type What = 'http' | 'smtp' | 'ops';
export type SandpostProcess = ChildServer & { ports: Record<What, number> };

/** Settings beyond a command's defaults. `profileTo` is a folder for CPU profiles. */
export type ProcessSettings = { env: Record<string, string>; profileTo: string | undefined };

const listeners: Record<'start' | 'api' | 'smtp', What[]> = {
  start: ['ops', 'http', 'smtp'],
  api: ['ops', 'http'],
  smtp: ['ops', 'smtp'],
};

/** Starts `sandpost <command>` on free ports, in a separate folder, and waits until it listens. */
export async function startSandpostProcess(
  command: keyof typeof listeners,
  { env, profileTo }: ProcessSettings,
): Promise<SandpostProcess> {
  const { server, found } = await startChild(
    (folder) => ({
      file: fileURLToPath(new URL('../../bin/sandpost', import.meta.url)),
      args: [command],
      env: {
        SANDPOST_HTTP_PORT: '0',
        SANDPOST_SMTP_PORT: '0',
        SANDPOST_OPS_PORT: '0',
        SANDPOST_DATA_DIR: folder,
        ...env,
        ...(profileTo ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileTo}` } : {}),
      },
    }),
    (output) => {
      const ports = portsIn(output);
      return listeners[command].every((what) => ports[what] > 0) ? ports : null;
    },
  );
  return { ...server, ports: found };
}

/** Returns settings with a first user and high limits. */
export function benchSettings(dnsServers: string): { apiKey: string; env: Record<string, string> } {
  const apiKey = `sp_${randomBytes(32).toString('base64url')}`;
  const env = {
    SANDPOST_DNS_SERVERS: dnsServers,
    SANDPOST_RATE_LIMIT: '1000000000',
    SANDPOST_BOOTSTRAP_EMAIL: 'bench@bench.test',
    SANDPOST_BOOTSTRAP_PASSWORD: randomBytes(16).toString('hex'),
    SANDPOST_BOOTSTRAP_API_KEY: apiKey,
  };
  return { apiKey, env };
}

function portsIn(output: string): Record<What, number> {
  const lines = output.split('\n').filter((line) => line.includes('"listening"') && line.endsWith('}'));
  const ports: Record<What, number> = { http: 0, smtp: 0, ops: 0 };
  for (const line of lines) {
    const { what, port }: { what: What; port: number } = JSON.parse(line);
    ports[what] = port;
  }
  return ports;
}
