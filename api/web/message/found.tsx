import { useRef } from 'preact/hooks';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { count } from '../parts/count.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkNames } from './link-names.ts';
import { isWebLink } from './linkify.ts';

const sources: Record<string, string> = {
  header: 'in the OTP-Token field',
  subject: 'in the subject',
  text: 'in the text',
  html: 'in the HTML',
};

/** Number of codes that are shown at first. */
const mostCodes = 2;

/** Codes of a mail, its main link and its attachments: the parts that a tester needs next. A button shows all codes and links. */
export function Found({ message }: { message: Message }) {
  const { goMail, mailPlace } = usePage();
  const { tab } = mailPlace.value;
  const below = useRef<string | null>(null);
  if (tab !== 'codes') below.current = tab;
  const { attachments, codes, links, main_link: main } = message;
  const link = links.find(({ url }) => url === main);
  const name = linkNames[link?.kind ?? ''] ?? 'Link';
  return (
    <div class="line wrap founds">
      {codes.slice(0, mostCodes).map(({ value }) => (
        <span class="boxed found" key={value}>
          <code class="breaks found-code">{value}</code>
          <CopyButton text={value} label={`Copy the code ${value}`} />
        </span>
      ))}
      {link && (
        <span class="boxed found">
          <a href={link.url} target="_blank" rel="noopener noreferrer" title={link.url}>
            {name}
          </a>
          <CopyButton text={link.url} label={`Copy the link: ${name}`} />
        </span>
      )}
      {attachments.length > 0 && (
        <button type="button" class="quiet" onClick={() => goMail({ tab: 'structure' })}>
          <Icon name="clip" size={14} /> {count(attachments.length, 'attachment')}
        </button>
      )}
      {links.length + Math.max(codes.length - mostCodes, 0) > 0 && (
        <button type="button" class="quiet" onClick={() => goMail({ tab: 'codes' })}>
          {links.length > 0 ? count(links.length, 'link') : `${codes.length} codes`}
          <span class="hidden">: all codes and links</span>
        </button>
      )}
      {tab === 'codes' && (
        <Dialog title="Codes and links" close={() => goMail({ tab: below.current })}>
          <Codes message={message} />
        </Dialog>
      )}
    </div>
  );
}

/** All codes and links, to copy or to follow. */
function Codes({ message: { codes, links } }: { message: Message }) {
  return (
    <ul class="plain-list codes">
      {codes.map(({ value, source }) => (
        <li key={value}>
          <CopyButton text={value} label={`Copy the code ${value}`} />
          <code class="breaks found-code">{value}</code>
          <span class="muted">{sources[source] ?? source}</span>
        </li>
      ))}
      {links.map((link) => (
        <Link key={link.url} {...link} />
      ))}
    </ul>
  );
}

function Link({ url, text, kind }: Message['links'][number]) {
  const name = linkNames[kind];
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
