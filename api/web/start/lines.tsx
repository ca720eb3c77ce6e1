import './lines.css';
import { useState } from 'preact/hooks';
import { useLoaded } from '../message/use-loaded.ts';
import { problemOf } from '../parts/call.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Segments } from '../parts/segments.tsx';
import { readServer } from './server.ts';
import { snippets } from './snippets.ts';

/** Lines to copy into a terminal or an application's settings, so that its mail comes to `address`. */
export function Lines({ address }: { address: string }) {
  const read = useLoaded(readServer, []);
  const [chosen, setChosen] = useState('swaks');
  if (!read) return null;
  if ('error' in read) {
    return (
      <p class="error" role="alert">
        {problemOf(read.error).detail}
      </p>
    );
  }
  const { host, port } = read.value.smtp;
  const all = snippets({ host, port, address });
  const shown = all.find(({ name }) => name === chosen);
  return (
    <>
      <dl class="facts">
        <Fact name="SMTP host" value={host} />
        <Fact name="SMTP port" value={`${port}`} />
        <Fact name="Address" value={address} />
      </dl>
      <p class="muted">No TLS, no user name, no password.</p>
      <Segments
        label="Lines for"
        choices={all.map(({ name }) => [name, name] as const)}
        chosen={chosen}
        choose={setChosen}
      />
      {shown && (
        <figure class="snippet">
          <figcaption>
            {shown.file}
            <CopyButton text={shown.text} label={`Copy the lines for ${shown.name}`} />
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keys */}
          <pre tabIndex={0}>{shown.text}</pre>
        </figure>
      )}
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
        <CopyButton text={value} label={`Copy the ${name}`} />
      </dd>
    </div>
  );
}
