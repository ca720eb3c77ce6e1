import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const script = path.resolve('test/cluster/dns.sh');

/** Sets a zone in the DNS of the tests' own cluster: zone file records without SOA and NS. Waits until it is served. */
export function setZone(zone: string, ...records: string[]): Promise<void> {
  return dns(['set', zone], records.join('\n'));
}

export function removeZone(zone: string): Promise<void> {
  return dns(['rm', zone], '');
}

async function dns(args: string[], input: string): Promise<void> {
  const child = spawn(script, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(`${input}\n`);
  const [[code], said] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  if (code !== 0) throw new Error(`dns.sh ${args.join(' ')}: ${said}`);
}
