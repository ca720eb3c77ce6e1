import type { Finding } from '#core/audit/finding.ts';
import { check } from './check.ts';
import type { CheckedMail } from './facts.ts';

/** Checks one-click unsubscribe (RFC 8058), including that a valid DKIM signature covers its header fields (section 4). */
export function unsubscribeFindings({ headers, dkim }: Pick<CheckedMail, 'headers' | 'dkim'>): Finding[] {
  const valuesOf = (name: string) =>
    headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value);
  const [uris] = valuesOf('list-unsubscribe');
  const posts = valuesOf('list-unsubscribe-post');
  const isOneClick =
    posts.length === 1 &&
    posts[0]?.trim().toLowerCase() === 'list-unsubscribe=one-click' &&
    /<\s*https:[^<>]+>/i.test((uris ?? '').slice(0, 10_000));
  const offered = check(
    'one-click-unsubscribe',
    'One-click unsubscribe',
    !isOneClick && (uris === undefined ? 'info' : 'warning'),
    'Bulk mail needs List-Unsubscribe: <https://…> and List-Unsubscribe-Post: List-Unsubscribe=One-Click.',
    'Both header fields follow RFC 8058.',
  );
  if (!isOneClick) return [offered];
  const valid = dkim.filter(({ result }) => result === 'pass');
  const isCovered = valuesOf('dkim-signature')
    .map(signedFields)
    .some(
      ({ domain, selector, fields }) =>
        valid.some(
          (one) => one.domain?.toLowerCase() === domain && one.selector?.toLowerCase() === selector,
        ) && ['list-unsubscribe', 'list-unsubscribe-post'].every((name) => fields.includes(name)),
    );
  const signed = check(
    'one-click-signature',
    'One-click signature',
    !isCovered && 'warning',
    'Sign both fields with DKIM (h=): receivers offer one-click only if a valid signature covers them.',
    'A valid DKIM signature covers both fields.',
  );
  return [offered, signed];
}

/** Parses the tags `d=`, `s=` and `h=` of a DKIM-Signature field (RFC 6376 section 3.5). */
function signedFields(value: string): { domain: string; selector: string; fields: string[] } {
  const tags = new Map(
    value.split(';').map((tag) => {
      const [name = '', ...rest] = tag.split('=');
      return [name.trim(), rest.join('=').replace(/\s+/g, '').toLowerCase()];
    }),
  );
  const [domain = '', selector = '', fields = ''] = [tags.get('d'), tags.get('s'), tags.get('h')];
  return { domain, selector, fields: fields.split(':') };
}
