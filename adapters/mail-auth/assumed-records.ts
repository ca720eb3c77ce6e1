import { DnsError, type Resolver } from '#adapters/dns/dns.ts';
import type { DnsRecords, DnsType } from '#adapters/dns/upstream.ts';
import type { Assumed } from '#core/messages/examine.ts';

/** Maximum number of assumed CNAMEs that are followed. */
const mostAliases = 8;

/** Parses record data in zone file syntax (RFC 1035 section 5.1). */
const readValues: { [T in DnsType]: (values: string[]) => DnsRecords[T] } = {
  A: (values) => values,
  AAAA: (values) => values,
  CNAME: (values) => values.map(normal),
  PTR: (values) => values.map(normal),
  MX: (values) =>
    values.map((value) => {
      const [priority = '0', exchange = ''] = value.trim().split(/\s+/);
      return { priority: Number(priority), exchange: normal(exchange) };
    }),
  TXT: (values) => values.map((value) => [value]),
};

/** Overlays assumed records on DNS, or on an empty DNS. Follows assumed CNAMEs. Never queries a name and type that are assumed. */
export function assume(
  { records, dns }: Pick<Assumed, 'records' | 'dns'>,
  resolver: Pick<Resolver, 'resolve'>,
): Pick<Resolver, 'resolve'> {
  const values = new Map(records.map((record) => [`${record.type} ${normal(record.name)}`, record.values]));
  const names = new Set(records.map(({ name }) => normal(name)));
  return {
    async resolve<T extends DnsType>(name: string, type: T, waitMs?: number): Promise<DnsRecords[T]> {
      let owner = normal(name);
      for (let aliases = 0; aliases <= mostAliases; aliases += 1) {
        const found = values.get(`${type} ${owner}`);
        if (found !== undefined && found.length > 0) return readValues[type](found);
        const [alias] = values.get(`CNAME ${owner}`) ?? [];
        if (found === undefined && alias === undefined && dns) return resolver.resolve(owner, type, waitMs);
        if (found !== undefined || alias === undefined) {
          throw new DnsError(names.has(owner) ? 'ENODATA' : 'ENOTFOUND', `${owner} has no ${type} record`);
        }
        owner = normal(alias);
      }
      throw new DnsError('ESERVFAIL', `${name} has too many aliases`);
    },
  };
}

function normal(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
