import './transcript.css';
import type { Transcript } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Reading, useRead } from '../parts/loaded.tsx';
import { number } from '../parts/size.ts';

/** SMTP dialogue of a message or a refusal, with the client's lines set apart from the server's. Absent if no dialogue was kept. */
export const Dialogue = ({ path }: { path: string }) => (
  <Reading of={useRead<Transcript>(path)}>{(lines) => <Lines lines={lines} />}</Reading>
);

function Lines({ lines }: { lines: Transcript }) {
  if (lines.length === 0) return null;
  const text = lines.map(({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${line}`).join('\n');
  return (
    <section class="dialogue" aria-label="Transcript">
      <div class="line wrap panel-bar">
        <h2>Transcript</h2>
        <CopyButton text={text} label="Copy the transcript" />
        <span class="muted">
          Credentials and content are omitted. Times are relative to the start of the connection.
        </span>
      </div>
      <ol class="transcript mono" aria-label="Transcript">
        {lines.map(({ at_ms, from, line }, index) => (
          <li key={index} class={`wraps ${from}`}>
            <span class="faint transcript-time">{number(at_ms)} ms</span>
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
