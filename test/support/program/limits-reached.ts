/** Reads how often each limit was reached, by limit name, from the metrics at this port. */
export async function limitsReached(opsPort: number): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const lines = text.matchAll(/^sandpost_limits_reached_total\{limit="([^"]+)"\} (\d+)$/gm);
  return new Map(Array.from(lines, ([, name = '', count]) => [name, Number(count)]));
}
