import './transcript-tab.css';
import type { Message, Transcript } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Reading, useRead } from '../parts/loaded.tsx';

/** Tab of the SMTP dialogue that brought the message, the client's lines apart from the server's. */
export function TranscriptTab({ message: { id } }: { message: Message }) {
  return (
    <Reading of={useRead<Transcript>(`/api/messages/${id}/transcript`)}>
      {(lines) =>
        lines.length === 0 ? (
          <p class="message-none muted">No dialogue was kept with this message.</p>
        ) : (
          <>
            <div class="panel-bar">
              <CopyButton
                text={lines.map(({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${line}`).join('\n')}
                label="Copy the transcript"
              />
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
          </>
        )
      }
    </Reading>
  );
}
