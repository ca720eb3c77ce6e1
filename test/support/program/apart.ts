import assert from 'node:assert/strict';
import { type Process, startProcess } from './process.ts';
import { createUser, type User } from './user.ts';

/** API and SMTP as two processes on one store, with a user. `program`: their ports. */
export type Apart = {
  processes: Process[];
  program: { baseUrl: string; httpPort: number; smtpPort: number };
  user: User;
  /** Stops both. Throws if either does not end in order. */
  stop(): Promise<void>;
};

/** Starts both on the stores that the settings name. */
export async function startApart(settings: Record<string, string>): Promise<Apart> {
  const [api, smtp] = await Promise.all([startProcess('api', settings), startProcess('smtp', settings)]);
  const processes = [api, smtp];
  const { http } = api.ports;
  const program = { baseUrl: `http://127.0.0.1:${http}`, httpPort: http, smtpPort: smtp.ports.smtp };
  return {
    ...{ processes, program, user: await createUser(program) },
    async stop() {
      for (const { stop } of processes) assert.equal(await stop(), 0);
    },
  };
}
