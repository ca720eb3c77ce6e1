import { BlockList, isIP } from 'node:net';
import Joi from 'joi';
import { readRedisAddress } from '#adapters/redis/address.ts';
import { roles } from '#core/access/role.ts';
import { parseAddress } from '#core/accounts/address.ts';
import type { SuffixRule } from '#core/domains/suffixes.ts';
import type { GroupTeam } from '#core/teams/join-teams.ts';
import { basePathOf } from './base-path.ts';

export const port = () => Joi.number().port();
export const httpUrl = () => Joi.string().uri({ scheme: ['http', 'https'] });

export function whole(least: number, most?: number) {
  const number = Joi.number().integer().min(least);
  return most === undefined ? number : number.max(most);
}

/** Word from a fixed list. */
export function oneOf<Word extends string>(...words: Word[]) {
  return Joi.string<Word>().valid(...words);
}

/** Comma-separated list. `parse` converts each item, and throws an error of one sentence if the item is invalid. */
function list<T>(parse: (item: string) => T) {
  return Joi.string<T[]>().custom((text: string) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(parse),
  );
}

/** DNS names in lower case, without a trailing dot. */
export function domainNames() {
  return list((item) => {
    const name = item.toLowerCase().replace(/\.$/, '');
    if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)) throw new Error(`"${item}" is not a host name`);
    return name;
  });
}

/** Domain suffixes, `suffix` or `team=suffix`. A suffix may contain `{namespace}`. */
export function domainSuffixes() {
  return list((item): SuffixRule => {
    // Bounded: the pattern looks for the last = in a setting.
    const [, team = null, text = ''] = /^(?:(.{1,100})=)?([^=]+)$/.exec(item) ?? [];
    const suffix = text.trim().toLowerCase().replace(/\.$/, '');
    const plain = suffix.replaceAll('{namespace}', 'n');
    if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(plain))
      throw new Error(`"${item}" is not a suffix such as app.test or team=app.test`);
    return { team: team === null ? null : team.trim(), suffix };
  });
}

/** Address of an account, in the form in which it is stored. */
export function address() {
  return Joi.string().custom((text: string) => {
    const parsed = parseAddress(text);
    if (parsed === null) throw new Error(`"${text}" is not an address such as inbox@app.test`);
    return parsed.address;
  });
}

/** Address of a single Redis server, of its Sentinels, or of a Redis Cluster. */
export function redisAddress() {
  return Joi.string().custom((text: string) => {
    readRedisAddress(text);
    return text;
  });
}

/** http or https URL. Its path is the one that a proxy serves. */
export function baseUrl() {
  return httpUrl().custom((text: string) => {
    basePathOf(text);
    return text;
  });
}

/** Names of Kubernetes namespaces (RFC 1123 labels). */
export function namespaces() {
  return list((item) => {
    if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(item)) throw new Error(`"${item}" is not a namespace`);
    return item;
  });
}

/** `host:port` or `[v6]:port`; the port defaults to 53. */
export function hostPorts() {
  return list((item) => {
    const match = /^(?:\[([0-9a-fA-F:]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(item);
    const host = match?.[1] ?? match?.[2] ?? item;
    const port = Number(match?.[3] ?? 53);
    if (isIP(host) === 0 || port < 1 || port > 65_535)
      throw new Error(`"${item}" is not address:port, such as 10.0.0.53:53`);
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  });
}

/** Origins as browsers send them: scheme, host and port, and nothing after that. */
export function origins() {
  return list((item) => {
    if (!URL.canParse(item) || new URL(item).origin !== item.toLowerCase()) {
      throw new Error(`"${item}" is not an origin such as https://mail.example.com`);
    }
    return item.toLowerCase();
  });
}

/** Networks such as 10.0.0.0/8 or fd00::/8, or single addresses, combined into one BlockList. */
export function cidr() {
  return Joi.string<BlockList>().custom((text: string) => {
    const networks = new BlockList();
    for (const item of text.split(',').map((part) => part.trim())) {
      const [, address = '', bits] = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(item) ?? [];
      const [family, longest] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
      const length = Number(bits ?? longest);
      if (isIP(address) === 0 || length > longest)
        throw new Error(`"${item}" is not a network such as 10.0.0.0/8`);
      networks.addSubnet(address, length, family);
    }
    return networks;
  });
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Whole number of seconds, minutes, hours or days, up to a year, converted to milliseconds. */
export function duration() {
  return Joi.string<number>().custom((text: string) => {
    const [, digits, unit = ''] = /^([0-9]{1,8})([smhd])$/.exec(text) ?? [];
    const ms = Number(digits) * (unitMs[unit] ?? Number.NaN);
    if (!(ms > 0 && ms <= 31_536_000_000))
      throw new Error(`"${text}" is not a duration such as 90s, 30m, 24h or 7d`);
    return ms;
  });
}

/** OpenID Connect scopes, separated by spaces (RFC 6749 section 3.3). They must include `openid`. */
export function scopes() {
  return Joi.string().custom((text: string) => {
    const names = text.split(/ +/).filter((name) => name !== '');
    if (!names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) || !names.includes('openid'))
      throw new Error(`"${text}" is not a list of scopes that includes openid, such as openid email profile`);
    return names.join(' ');
  });
}

/** Teams of groups, `group=team:role`. A group's name may contain `=`, and a team's name `:`. */
export function groupTeams() {
  return list((item): GroupTeam => {
    const [, group = '', team = '', name] = /^(.+)=([^=]{1,100}):([a-z]+)$/.exec(item) ?? [];
    const role = roles.find((known) => known === name);
    if (role === undefined)
      throw new Error(`"${item}" is not group=team:role, where the role is one of ${roles.join(', ')}`);
    return { group: group.trim(), team: team.trim(), role };
  });
}
