import assert from 'node:assert/strict';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { startProgram } from '#test/support/program/program.ts';
import { createTeam, type SharedTeam } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

/** Program that real senders send to, and that simulates failures. */
export type Scene = {
  baseUrl: string;
  httpPort: number;
  /** Ports that accept mail. */
  ports: number[];
  /** Creates a team with the address `qa@NAME.test`. */
  team(name: string): Promise<SharedTeam>;
  stop(): Promise<void>;
};

export async function startScene(): Promise<Scene> {
  const dns = await startDnsServer({});
  const settings = { SANDPOST_DNS_SERVERS: dns.address, SANDPOST_RATE_LIMIT: '1000000' };
  const program = await startProgram(settings);
  const user = await createUser(program);
  return {
    baseUrl: program.baseUrl,
    httpPort: program.httpPort,
    ports: [program.smtpPort],
    team: (name) => createTeam(program, user, name),
    async stop() {
      await program.stop();
      await dns.close();
    },
  };
}

/** Creates a failure rule, and returns its ID. */
export const failing = async ({ api }: SharedTeam, words: object): Promise<number> =>
  (await ok(api.post('/api/failures', words))).id;

/** Checks how many attempts a rule has failed and let pass, and how many emails the team has. */
export async function assertAttempts(
  { api }: SharedTeam,
  rule: number,
  wanted: { failed: number; passed: number; stored: number },
): Promise<void> {
  const { hits, attempts } = await ok(api.get(`/api/failures/${rule}`));
  const { pagination } = await ok(api.get('/api/messages'));
  assert.deepEqual({ failed: hits, passed: attempts.length - hits, stored: pagination.total }, wanted);
}
