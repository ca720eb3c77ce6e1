import './transcript.css';
import type { Transcript as Lines, Message } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Reading, useRead } from '../parts/loaded.tsx';

/** SMTP dialogue that brought a message, the client's lines apart from the server's. Absent if none was kept. */
export function Transcript({ message: { id } }: { message: Message }) {
  return (
    <Reading of={useRead<Lines>(`/api/messages/${id}/transcript`)}>
      {(lines) => <Dialogue lines={lines} />}
    </Reading>
  );
}

function Dialogue({ lines }: { lines: Lines }) {
  if (lines.length === 0) return null;
  const text = lines.map(({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${line}`).join('\n');
  return (
    <section class="dialogue" aria-labelledby="transcript-title">
      <div class="line panel-bar">
        <h2 id="transcript-title">Transcript</h2>
        <CopyButton text={text} label="Copy the transcript" />
        <span class="muted">
          Without credentials and content. Times are from the opening of the connection.
        </span>
      </div>
      <ol class="transcript mono" aria-label="Transcript">
        {lines.map(({ at_ms, from, line }, index) => (
          <li key={index} class={from}>
            <span class="transcript-time">{at_ms.toLocaleString('en')} ms</span>
            <span class="transcript-from">
              {from === 'client' ? 'C' : 'S'}
              <span class="hidden">{from.slice(1)}:</span>
            </span>
            <span>{line}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
