import { readFileSync, writeFileSync } from 'node:fs';

const ticksPerSecond = 100; // USER_HZ, which Linux shows to programs on every architecture

/** Reads a process's resident memory in MB (10^6 bytes) from proc(5). */
export function rss(pid: number): number {
  return statusField(pid, 'VmRSS');
}

/** Reads a process's peak resident memory since `resetPeak`, in MB. */
export function peakRss(pid: number): number {
  return statusField(pid, 'VmHWM');
}

/** Resets the peak resident memory to the current value (proc(5), clear_refs). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Reads the processor time in ms that a process and its threads have used. The resolution is 10 ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

function statusField(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(status)?.[1];
  if (kib === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return (Number(kib) * 1024) / 1e6;
}
