import { OutboundDisabled } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Link, LinkKind } from '#core/messages/content.ts';
import { type ReadPorts, readMessage } from '#core/messages/read-message.ts';
import { actOfLink, looksLikeToken } from './link-acts.ts';
import { kindOfUrl, purposeOfLabel } from './link-kinds.ts';

/**
 * Outcome of a link's requests. `status` is the last answer's status, or null if there was no answer. `error` is a sentence for a person,
 * or null if the link works. `ms`: duration of the requests, excluding waits for a turn.
 */
export type LinkResult = { status: number | null; error: string | null; redirects: number; ms: number };

export type CheckedLink = LinkResult & { url: string };

/** Sends requests to links on the web. */
export type LinkChecker = {
  /** Returns the results in the order of the URLs. Throws TooMany. */
  check(user: Id, urls: string[], signal: AbortSignal): Promise<LinkResult[]>;
};

/** `links` is null if outbound requests are disabled. */
type Ports = ReadPorts & { links: LinkChecker | null };

/** Purposes of links that a request may use up. A person's later click would then be refused. */
const kindActs: Partial<Record<LinkKind, string>> = {
  verify: 'it verifies or confirms something',
  reset: 'it resets a password',
  login: 'it signs someone in',
  invite: 'it accepts an invitation',
  unsubscribe: 'it unsubscribes someone',
};

/**
 * Returns the reason why a link is not requested, as a sentence, or null if it may be requested. `kind` and `text` are those that the
 * extraction found at delivery, for a link in an email.
 */
export function reasonNotRequested(url: string, { kind, text }: Pick<Link, 'kind' | 'text'>): string | null {
  if (!/^https?:/i.test(url)) return 'Not requested: not a web link';
  const { href } = new URL(url);
  // A label that explains an action does not perform it.
  const act = kindActs[kind] ?? kindActs[kindOfUrl(href)];
  if (act !== undefined) return `Not requested: ${act}`;
  const word = actOfLink(href, purposeOfLabel(text) === 'none' ? '' : text);
  if (word !== null) return `Not requested: it might perform an action (“${word}”)`;
  return looksLikeToken(href) ? 'Not requested: its token may be single-use' : null;
}

/**
 * Requests up to `most` of a message's links, except those that may act. Throws OutboundDisabled, NotFound, and what the checker throws.
 */
export async function checkLinks(
  { links: checker, ...ports }: Ports,
  user: Id,
  owner: Id,
  id: Id,
  most: number,
  signal: AbortSignal,
): Promise<CheckedLink[]> {
  if (checker === null) {
    throw new OutboundDisabled(
      'This server does not request links. Set SANDPOST_OUTBOUND=public to allow it, or list your networks in SANDPOST_OUTBOUND_NETWORKS.',
    );
  }
  const { links } = (await readMessage(ports, owner, id)).content;
  const listed = links
    .slice(0, most)
    .map((link) => ({ url: link.url, why: reasonNotRequested(link.url, link) }));
  const wanted = listed.flatMap(({ url, why }) => (why === null ? [url] : []));
  const results = (await checker.check(user, wanted, signal)).values();
  return listed.map(({ url, why }) => {
    const refused = { status: null, error: why, redirects: 0, ms: 0 };
    return { url, ...(why === null ? (results.next().value ?? refused) : refused) };
  });
}
