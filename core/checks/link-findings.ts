import type { Finding } from '#core/audit/finding.ts';
import { check } from './check.ts';
import type { CheckedMail } from './facts.ts';

/** Maximum number of examples in a sentence. */
const shown = 3;

/** Lists the first few strings, each truncated, and counts the rest. */
export function examples(texts: string[]): string {
  const unique = [...new Set(texts)];
  const first = unique.slice(0, shown).map((text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text));
  return `${first.join(', ')}${unique.length > shown ? ` and ${unique.length - shown} more` : ''}`;
}

/** Host names that occur only in documents and tests (RFC 2606, RFC 6761), and names for local networks (RFC 6762, RFC 8375). */
const reserved =
  /(^|\.)(test|example|invalid|localhost|local|internal|lan|home\.arpa|example\.(com|net|org))$/;
const privateAddress =
  /^(127\.|10\.|0\.0\.0\.0$|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|\[(::1\]|f[cde]))/;

/** Checks for a host that no recipient can reach: a reserved name, a name without a dot, or a private address. */
function isLocalHost(host: string): boolean {
  return reserved.test(host) || privateAddress.test(host) || !/[.:]/.test(host);
}

/** Returns a web URL's host in lower case, or null for other URLs. */
function hostOf(url: string): string | null {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, '');
}

/**
 * Returns the host that a link's text presents as its target, or null. Examples of such texts: `https://shop.example/x`,
 * `www.shop.example`.
 */
function namedHost(text: string): string | null {
  const plain = text.slice(0, 500).trim().toLowerCase();
  const named = /^(?:https?:\/\/)?((?:[a-z0-9-]{1,63}\.)+[a-z]{2,24})(?:[:/?#]\S*)?$/.exec(plain)?.[1];
  return named === undefined || /\.(jpe?g|png|gif|pdf|html?|zip|txt|js|ts|md|csv|docx?|xlsx?)$/.test(named)
    ? null
    : named;
}

/** Checks whether two hosts belong together: `click.shop.example` may track links to `www.shop.example`. */
function isRelated(one: string, other: string): boolean {
  const [a, b] = [one.replace(/^www\./, ''), other.replace(/^www\./, '')];
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/** Checks where links lead. */
export function linkFindings({ links, seen }: Pick<CheckedMail, 'links' | 'seen'>): Finding[] {
  const web = links.flatMap(({ url }) => {
    const host = hostOf(url);
    return host === null ? [] : [{ url, host }];
  });
  const posing = (seen?.anchors ?? []).flatMap(({ href, text }) => {
    const [host, named] = [hostOf(href), namedHost(text)];
    return host === null || named === null || isRelated(host, named) ? [] : [`${named} leads to ${host}`];
  });
  const plain = web.filter(({ url }) => /^http:/i.test(url)).map(({ url }) => url);
  const local = web.filter(({ host }) => isLocalHost(host)).map(({ host }) => host);
  return [
    check(
      'link-text',
      'Link texts',
      posing.length > 0 && 'warning',
      `Show the link's own host in its text. Otherwise, filters may suspect phishing: ${examples(posing)}.`,
      'No link text names another host.',
    ),
    check(
      'link-http',
      'Links without TLS',
      plain.length > 0 && 'warning',
      `Use https: ${examples(plain)}.`,
      'No link uses http.',
    ),
    check(
      'link-local',
      'Links to local or reserved hosts',
      local.length > 0 && 'warning',
      `Recipients cannot reach these hosts: ${examples(local)}.`,
      'No link leads to localhost, a private address or a reserved name.',
    ),
  ];
}
