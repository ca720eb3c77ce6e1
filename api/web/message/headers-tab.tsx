import { useState } from 'preact/hooks';
import type { Message } from '../client/shapes.ts';
import { exactTime } from '../parts/ago.ts';
import { CopyButton } from '../parts/copy-button.tsx';

/** The header fields in order, with a filter over names and values; the envelope beside them. */
export function HeadersTab({ message }: { message: Message }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const shown = message.headers.filter(({ name, value }) =>
    `${name}: ${value}`.toLowerCase().includes(wanted),
  );
  return (
    <div class="headers">
      <section aria-label="Header">
        <div class="panel-bar">
          <input
            type="search"
            aria-label="Filter the header fields"
            placeholder="Filter"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
          <span class="muted" role="status">
            {wanted === '' ? '' : `${shown.length} of ${message.headers.length}`}
          </span>
          <CopyButton
            text={message.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
            label="Copy the header"
          />
        </div>
        <table class="fields">
          <thead class="hidden">
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, value }, at) => (
              <tr key={at}>
                <th scope="row">{name}</th>
                <td class="mono">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Envelope message={message} />
    </div>
  );
}

/** What SMTP said, which the header need not repeat truly. */
function Envelope({ message: { envelope, delivered_to, tag, received_at } }: { message: Message }) {
  const facts: [string, string | null][] = [
    ['Mail from', envelope.mail_from || '<> (nobody)'],
    ['Recipients', envelope.rcpt_to.join('\n')],
    ['Delivered to', delivered_to],
    ['Tag', tag],
    ['Greeting', envelope.helo],
    ['Came from', envelope.remote_address],
    ['TLS', envelope.tls ? 'yes' : 'no'],
    ['Received by', envelope.received_by],
    ['Received at', exactTime(Date.parse(received_at))],
  ];
  return (
    <section class="envelope" aria-labelledby="envelope-title">
      <h2 id="envelope-title">Envelope</h2>
      <dl>
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
