type Node = { host: string; port: number };

/** Address of one server, of the Sentinels that monitor the primary named `name`, or of some nodes of a Redis Cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; name: string } & Several)
  | ({ kind: 'cluster' } & Several);

type Several = { nodes: Node[]; username?: string; password?: string; tls: boolean };

const shape = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(.*)$/;
const defaultPorts = { sentinel: 26379, cluster: 6379 };

/**
 * Parses `redis://…`, `redis+sentinel://user:password@host:26379,host:26379/name` or `redis+cluster://host:6379,host:6379`, each with
 * `rediss` for TLS. Throws a one-sentence error for any other text.
 */
export function readRedisAddress(text: string): RedisAddress {
  const [, secure, kind, rest = ''] = shape.exec(text) ?? [];
  if (secure === undefined)
    throw new Error('it must begin with redis://, rediss://, redis+sentinel:// or redis+cluster://');
  const at = rest.lastIndexOf('@');
  const { username, password } = readCredentials(rest.slice(0, Math.max(0, at)));
  const [hosts = '', ...path] = rest.slice(at + 1).split('/');
  if (kind !== 'sentinel' && kind !== 'cluster') {
    const [host = ''] = hosts.split(/[?#]/);
    readNode(host, 6379);
    if (!URL.canParse(text)) throw new Error('percent-encode ? and # in the password as %3F and %23');
    return { kind: 'server', url: text };
  }
  const more: Several = {
    nodes: hosts.split(',').map((host) => readNode(host, defaultPorts[kind])),
    tls: secure === 's',
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
  };
  const name = path.join('/').replace(/\/$/, '');
  if (kind === 'cluster') {
    if (name !== '') throw new Error(`Redis Cluster has no numbered databases: remove "/${name}"`);
    return { kind, ...more };
  }
  if (!/^[\w.-]+$/.test(name))
    throw new Error("a Sentinel address must end with the primary's name, for example …/mymaster");
  return { kind, name, ...more };
}

function readCredentials(text: string): { username: string; password: string } {
  if (/[/@]/.test(text)) throw new Error('percent-encode / and @ in the password as %2F and %40');
  const [username = '', ...password] = text.split(':');
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password.join(':')) };
  } catch {
    throw new Error('in the password, percent-encode % as %25');
  }
}

function readNode(text: string, defaultPort: number): Node {
  const [, v6, v4 = '', port = String(defaultPort)] =
    /^(?:\[([0-9a-fA-F:]+)\]|([\w.-]+))(?::(\d+))?$/.exec(text.trim()) ?? [];
  const host = v6 ?? v4;
  if (host === '') throw new Error(`"${text}" is not host:port`);
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`the port in "${text}" must be from 1 to 65535`);
  return { host, port: Number(port) };
}
