/**
 * A first domain for somebody, from the local part of their e-mail (`Ada.L+x@example.com`: `ada-l.test`), or from the
 * name of a namespace (`namespace/shop`: `shop.test`). `.test` never exists outside (RFC 6761 section 6.2).
 */
export function proposeDomain(email: string): string {
  const name = email.replace(/^namespace\//, '').replace(/[+@].*$/s, '');
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return `${label || 'app'}.test`;
}
