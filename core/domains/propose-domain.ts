import { randomBytes } from 'node:crypto';
import type { RowReader } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import { parseDomainName } from './domain-name.ts';
import { isAllowed, type SuffixPorts, suffixesOf } from './suffixes.ts';

type Ports = SuffixPorts & { rows: RowReader };

/** Suffixes to append to a name that is taken. If they are all taken too, a random suffix follows. */
const attempts = ['', '-2', '-3', '-4', '-5'];

/**
 * Proposes an available name for a team's first domain. Derives the name from the email address's local part (`Ada.L+x@example.com`:
 * `ada-l`), the team's name (`Check out`: `check-out`) or the namespace (`namespace/shop`: `shop`). The domain lies under the first
 * allowed suffix, or else under `.test`, which never exists in the public DNS (RFC 6761 section 6.2).
 */
export async function proposeDomain(
  ports: Ports,
  { team, name: owner }: { team: Id; name: string },
): Promise<string> {
  const suffixes = await suffixesOf(ports, team);
  const suffix = suffixes?.all[0] ?? 'test';
  const label = labelOf(owner);
  for (const ending of [...attempts, `-${randomBytes(4).toString('hex')}`]) {
    const name = parseDomainName(`${label}${ending}.${suffix}`);
    if (
      name !== null &&
      isAllowed(name, suffixes) &&
      (await ports.rows.read('isFree', { team, domain: name }))
    )
      return name;
  }
  return `${randomBytes(8).toString('hex')}.${suffix}`;
}

function labelOf(email: string): string {
  const name = email.replace(/^namespace\//, '').replace(/[+@].*$/s, '');
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    // Bounded: the name has at most 50 characters.
    .replace(/^-+|-+$/g, '');
  return label || 'app';
}
