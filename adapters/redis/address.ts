type Node = { host: string; port: number };

/** Address of one server, of the Sentinels that know the primary named `name`, or of some nodes of a Redis Cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; name: string } & Several)
  | ({ kind: 'cluster' } & Several);

type Several = { nodes: Node[]; username?: string; password?: string; tls: boolean };

const several = /^redis(s?)\+(sentinel|cluster):\/\/(?:([^:@/]*):([^@/]*)@)?([^/@]+)(?:\/([\w.-]+))?\/?$/;
const defaultPorts = { sentinel: 26379, cluster: 6379 };

/**
 * Reads `redis://…`, `redis+sentinel://user:password@host:26379,host:26379/name` or `redis+cluster://host:6379,host:6379`, each with
 * `rediss` for TLS. Throws an error of one sentence for another text.
 */
export function readRedisAddress(text: string): RedisAddress {
  if (/^rediss?:\/\//.test(text) && URL.canParse(text)) return { kind: 'server', url: text };
  const [, secure, kind, username = '', password = '', hosts = '', name = ''] = several.exec(text) ?? [];
  if (kind !== 'sentinel' && kind !== 'cluster')
    throw new Error('it must begin with redis://, rediss://, redis+sentinel:// or redis+cluster://');
  const nodes = hosts.split(',').map((host) => readNode(host, defaultPorts[kind]));
  const more: Several = {
    nodes,
    tls: secure === 's',
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
  if (kind === 'cluster') return { kind, ...more };
  if (name === '') throw new Error('a Sentinel address ends with the name of the primary: …/mymaster');
  return { kind, name, ...more };
}

function readNode(text: string, defaultPort: number): Node {
  const [, v6, v4 = '', port] = /^(?:\[([0-9a-fA-F:]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = v6 ?? v4;
  if (host === '') throw new Error(`"${text}" is not host:port`);
  return { host, port: port === undefined ? defaultPort : Number(port) };
}
