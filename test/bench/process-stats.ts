import { readFileSync, writeFileSync } from 'node:fs';

const ticksPerSecond = 100; // USER_HZ, which Linux shows to programs on every architecture

/** Resident memory of a process, in MB (10^6 bytes), as proc(5) tells it. */
export function rss(pid: number): number {
  return statusField(pid, 'VmRSS');
}

/** The most resident memory of a process since `resetPeak`, in MB. */
export function peakRss(pid: number): number {
  return statusField(pid, 'VmHWM');
}

/** Begins a new peak at what is resident now (proc(5), clear_refs). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Processor time that a process and its threads have used, in ms; its resolution is 10 ms. */
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
