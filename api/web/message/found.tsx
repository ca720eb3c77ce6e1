import type { Message } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { linkKinds } from './link-kinds.ts';

const mostCodes = 3;

/** Codes of a mail, and the link that it is about: the parts that a tester needs next. */
export function Found({ message: { codes, links, main_link: main } }: { message: Message }) {
  const link = links.find(({ url }) => url === main);
  if (codes.length === 0 && link === undefined) return null;
  return (
    <div class="message-found">
      {codes.slice(0, mostCodes).map(({ value }) => (
        <span class="found" key={value}>
          <span class="found-name">Code</span>
          <code class="found-code">{value}</code>
          <CopyButton text={value} label={`Copy the code ${value}`} />
        </span>
      ))}
      {link && (
        <span class="found">
          <span class="found-name">{linkKinds[link.kind] ?? 'Link'}</span>
          <a href={link.url} target="_blank" rel="noopener noreferrer" title={link.url}>
            {host(link.url)}
          </a>
          <CopyButton text={link.url} label={`Copy the link: ${linkKinds[link.kind] ?? link.url}`} />
        </span>
      )}
    </div>
  );
}

const host = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
