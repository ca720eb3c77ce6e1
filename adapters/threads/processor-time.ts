/** Returns this thread's processor time in ms. Excludes the machine's other work. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
