import { useMemo, useState } from 'preact/hooks';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { exactTime } from '../parts/ago.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { providerTitle } from './source-tab.tsx';
import { LongText } from './text-tab.tsx';

/** Number of fields, and of characters per value, drawn until the user asks for more. */
const mostFields = 200;
const mostCharacters = 2000;
/** Maximum header fields that the API returns for a message. */
const mostGiven = 1000;

/** Tab of the header fields in order, with a filter by name and value, and of the envelope. */
export function HeadersTab({ message }: { message: Message }) {
  const { goMail } = usePage();
  const [filter, setFilter] = useState('');
  const [all, setAll] = useState(false);
  const fields = useMemo(
    () =>
      message.headers.map((field) => ({ ...field, folded: `${field.name}: ${field.value}`.toLowerCase() })),
    [message],
  );
  const wanted = filter.trim().toLowerCase();
  const found = fields.filter(({ folded }) => folded.includes(wanted));
  const shown = all ? found : found.slice(0, mostFields);
  return (
    <div class="headers">
      <section aria-label="Header">
        <div class="line wrap panel-bar">
          <input
            type="search"
            aria-label="Filter the header fields"
            placeholder="Filter"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
          <span class="muted" role="status">
            {wanted === '' ? '' : `${found.length} of ${message.headers.length}`}
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
                <td class="mono wraps">
                  <LongText text={value} most={mostCharacters} show={(part) => part} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {message.headers.length >= mostGiven && (
          <p class="cut">
            These are the first {mostGiven} fields.{' '}
            <button type="button" class="link" onClick={() => goMail({ tab: 'source' })}>
              Show the source
            </button>{' '}
            for all of them.
          </p>
        )}
        {shown.length < found.length && (
          <button type="button" onClick={() => setAll(true)}>
            Show all {found.length} fields
          </button>
        )}
      </section>
      <Envelope message={message} />
    </div>
  );
}

type MessageEnvelope = Message['envelope'];

/** Describes the account or key that signed in to send the message. */
function signedIn({ authenticated_as }: MessageEnvelope): string | null {
  if (authenticated_as === null) return null;
  return `${authenticated_as.kind === 'api_key' ? 'API key' : 'account'} ${authenticated_as.name}`;
}

function tlsOf({ tls_info }: MessageEnvelope): string {
  if (tls_info === null) return 'no';
  const { version, cipher, server_name } = tls_info;
  return `${version}, ${cipher}${server_name === null ? '' : `\nfor ${server_name}`}`;
}

/** Describes the notifications that the sender requested, in SMTP terms. */
function notifyOf({ dsn }: MessageEnvelope): string | null {
  if (dsn === null) return null;
  const { ret, envid, recipients } = dsn;
  const lines = recipients.map(({ address, notify, orcpt }) =>
    [address, notify.length > 0 && `NOTIFY=${notify.join(',')}`, orcpt && `ORCPT=${orcpt}`]
      .filter(Boolean)
      .join(' '),
  );
  return [ret && `RET=${ret}`, envid && `ENVID=${envid}`, ...lines].filter(Boolean).join('\n');
}

/** Envelope: sender and recipients from the SMTP dialogue, which may differ from the header. */
function Envelope({ message }: { message: Message }) {
  const { envelope, submission, sender, account_id, delivered_to, tag, trace_id, received_at } = message;
  const { directory } = usePage();
  const account = directory.value?.accounts.find(({ id }) => id === account_id);
  const facts: Fact[] = [
    ['Mail from', envelope.mail_from || '<> (nobody)'],
    ['Recipients', envelope.rcpt_to.join('\n')],
    ['Delivered to', account?.address ?? delivered_to],
    ['Tag', tag],
    ['Greeting', envelope.helo],
    ['Came from', envelope.remote_address],
    ['Sent by', sender && `${sender.namespace}/${sender.pod}\n${sender.workload ?? ''}`],
    ['Provider', submission && providerTitle(submission.provider)],
    ['Trace', trace_id],
    ['Signed in', signedIn(envelope)],
    ['TLS', tlsOf(envelope)],
    ['Notify', notifyOf(envelope)],
    ['Received by', envelope.received_by],
    ['Received at', exactTime(Date.parse(received_at))],
  ];
  return (
    <section class="boxed envelope" aria-labelledby="envelope-title">
      <h2 id="envelope-title">Envelope</h2>
      <Facts look="stack" facts={facts} />
    </section>
  );
}
