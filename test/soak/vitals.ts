import { readdirSync, readFileSync } from 'node:fs';
import type { Program } from '#test/support/program/program.ts';

/** Memory, files, threads and handles of a program's processes at one moment. Memory is in MB (10^6 bytes). */
export type Vitals = {
  memory: number;
  files: number;
  threads: number;
  /** Node's timers and handles, and the open connections and streams that the program counts. */
  resources: Record<string, number>;
};

/** Reads proc(5) and each process's metrics. Throws if a process has ended. */
export async function vitalsOf(program: Program): Promise<Vitals> {
  const resources: Record<string, number> = {};
  for (const port of new Set([program.opsPorts.api, program.opsPorts.smtp])) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const [, name = '', value] of text.matchAll(/^(\S+) (\d+)$/gm)) {
      const [, type] = /^nodejs_active_resources\{type="(\w+)"\}$/.exec(name) ?? [];
      const key = type ?? (/^sandpost_(event_streams|smtp_connections)$/.test(name) ? name : undefined);
      if (key !== undefined) resources[key] = (resources[key] ?? 0) + Number(value);
    }
  }
  const sum = (of: (pid: number) => number) => program.pids.reduce((total, pid) => total + of(pid), 0);
  return {
    memory: sum(residentMb),
    files: sum((pid) => readdirSync(`/proc/${pid}/fd`).length),
    threads: sum((pid) => readdirSync(`/proc/${pid}/task`).length),
    resources,
  };
}

function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error(`process ${pid} has ended`);
  return (Number(kilobytes) * 1024) / 1e6;
}
