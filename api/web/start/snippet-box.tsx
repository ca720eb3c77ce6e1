import { CopyButton } from '../parts/copy-button.tsx';
import type { Snippet } from './snippets.ts';

/** Lines of a file or a terminal, with a button that copies them. */
export function SnippetBox({ snippet: { name, file, text } }: { snippet: Snippet }) {
  return (
    <figure class="snippet">
      <figcaption>
        {file}
        <CopyButton text={text} label={`Copy the lines for ${name}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keys */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
