import type { MessageSummary } from '../client/shapes.ts';
import { copy } from '../parts/copy.ts';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/toast.tsx';

/** Code that a mail brings, or else the link that it is about. */
type Item = Pick<MessageSummary, 'code' | 'main_link'>;

/**
 * Code of a message in its row, or else its main link. No control of its own to assistive technology, since an option contains
 * none: the list takes clicks on it, and a key does the same.
 */
export function Found({ item: { code, main_link } }: { item: Item }) {
  if (code) {
    return (
      <span class="row-found mono" data-do="copy" title="Copy the code (c)">
        <span class="hidden">code </span>
        <span class="row-found-text">{code}</span>
        <Icon name="copy" size={12} />
      </span>
    );
  }
  if (!main_link) return null;
  return (
    <span class="row-founds">
      <span class="row-found" data-do="copy" title={`Copy the link (c): ${main_link}`}>
        <span class="hidden">link to </span>
        <span class="row-found-text">{hostOf(main_link)}</span>
        <Icon name="copy" size={12} />
      </span>
      <span class="row-found" data-do="open" title={`Open the link: ${main_link}`} aria-hidden="true">
        <Icon name="open" size={12} />
      </span>
    </span>
  );
}

/** Copies the code, or else the link, and says which. */
export async function copyFound({ code, main_link }: Item): Promise<void> {
  const text = code || main_link;
  if (!text) return void tell('This message has neither a code nor a main link');
  const name = code ? `the code ${code}` : `the link to ${hostOf(text)}`;
  tell(
    (await copy(text, document.querySelector('.mail') ?? document.body))
      ? `Copied ${name}`
      : `Not copied: ${name}`,
  );
}

export function openLink({ main_link }: Item): void {
  if (main_link) window.open(main_link, '_blank', 'noopener,noreferrer');
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
