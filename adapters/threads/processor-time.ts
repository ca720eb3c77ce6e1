/** Processor time of this thread, ms. Other work of the machine does not count. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
