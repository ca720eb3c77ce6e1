import type { Message } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { hostOf, isWebLink } from './linkify.ts';

/** Purposes of links in words. */
const linkKinds: Record<string, string> = {
  verify: 'Verify',
  reset: 'Reset password',
  login: 'Sign in',
  invite: 'Invitation',
  unsubscribe: 'Unsubscribe',
};

const sources: Record<string, string> = {
  header: 'in the OTP-Token field',
  subject: 'in the subject',
  text: 'in the text',
  html: 'in the HTML',
};

/** Tab of all codes and links that were found, to copy or to follow. */
export function CodesTab({ message: { codes, links } }: { message: Message }) {
  if (codes.length + links.length === 0) {
    return <p class="message-none muted">No codes or links found.</p>;
  }
  return (
    <div class="checks codes">
      {codes.length > 0 && (
        <section aria-labelledby="codes-title">
          <h2 id="codes-title">Codes</h2>
          <ul class="plain-list">
            {codes.map(({ value, source }) => (
              <li key={value}>
                <CopyButton text={value} label={`Copy the code ${value}`} />
                <code class="breaks found-code">{value}</code>
                <span class="muted">{sources[source] ?? source}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {links.length > 0 && (
        <section aria-labelledby="links-title">
          <h2 id="links-title">Links</h2>
          <ul class="plain-list">
            {links.map((link) => (
              <Link key={link.url} {...link} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Link({ url, text, kind }: Message['links'][number]) {
  const name = linkKinds[kind];
  return (
    <li>
      <CopyButton text={url} label={`Copy the link ${text || url}`} />
      <div class="breaks found-link">
        <div>
          {name && <span class="badge chip">{name}</span>} <bdi>{text}</bdi>
        </div>
        {isWebLink(url) ? (
          <a class="mono" href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        ) : (
          <span class="mono">{url}</span>
        )}
      </div>
    </li>
  );
}

const mostCodes = 3;

/** Codes of a mail, and the link that it is about: the parts that a tester needs next. */
export function Found({ message: { codes, links, main_link: main } }: { message: Message }) {
  const link = links.find(({ url }) => url === main);
  if (codes.length === 0 && link === undefined) return null;
  return (
    <div class="wrap">
      {codes.slice(0, mostCodes).map(({ value }) => (
        <span class="boxed found" key={value}>
          <span class="small keep">Code</span>
          <code class="breaks found-code">{value}</code>
          <CopyButton text={value} label={`Copy the code ${value}`} />
        </span>
      ))}
      {link && (
        <span class="boxed found">
          <span class="small keep">{linkKinds[link.kind] ?? 'Link'}</span>
          <a class="ellipsis" href={link.url} target="_blank" rel="noopener noreferrer" title={link.url}>
            {hostOf(link.url)}
          </a>
          <CopyButton text={link.url} label={`Copy the link: ${linkKinds[link.kind] ?? link.url}`} />
        </span>
      )}
    </div>
  );
}
