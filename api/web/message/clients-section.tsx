import './clients-section.css';
import { useState } from 'preact/hooks';
import type { ClientChecks } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { count, size } from '../parts/size.ts';
import { Chip } from './chip.tsx';
import { clientName, countsOf, isWidelyUsed, worstFirst } from './client-support.ts';
import type { Tone } from './results.ts';
import { LineLink } from './verdicts.tsx';

type Client = ClientChecks['clients'][number];
type Feature = Client['features'][number];
type Props = {
  checks: ClientChecks;
  html: string | null;
  /** Called once the team's clients have been chosen. */
  chosen(): void;
};

/** Mail clients section: clients, most popular first, with the features of the email that each does not show. */
export function ClientsSection({ checks, html, chosen }: Props) {
  const { clients, score, complete, size: sizes, data_date } = checks;
  if (html === null) {
    return <p class="muted">This message has no HTML to check.</p>;
  }
  const limited = worstFirst(clients.filter(({ features }) => features.length > 0));
  const others = limited.filter((client) => !isWidelyUsed(client));
  const full = clients.filter(({ features }) => features.length === 0);
  const tone: Tone = score >= 90 ? 'good' : score >= 60 ? 'warning' : 'danger';
  return (
    <>
      <div class="line clients-score">
        <span class={`score tone keep numbers ${tone}`}>{score}%</span>
        <p class="grow">
          supported, {complete.clients} of {complete.of} clients show everything.{' '}
          <span class="muted">HTML of {size(sizes.html_bytes)}.</span>
        </p>
        <Choice of={checks} chosen={chosen} />
      </div>
      <ClientList label="Clients" clients={limited.filter(isWidelyUsed)} />
      {others.length > 0 && (
        <details>
          <summary class="opens">{count(others.length, 'other client')}</summary>
          <ClientList label="Other clients" clients={others} />
        </details>
      )}
      {limited.length > 0 && full.length > 0 && (
        <p class="muted">No issues in {full.map(({ client }) => clientName(client)).join(', ')}.</p>
      )}
      <p class="small">
        Data from{' '}
        <a href="https://www.caniemail.com/" target="_blank" rel="noopener noreferrer">
          caniemail.com
        </a>
        , {data_date}.
      </p>
    </>
  );
}

/** Button with which owners choose the clients that all of the team's messages are checked against. */
function Choice({ of: { families, clients }, chosen }: { of: ClientChecks; chosen(): void }) {
  const { mayManage, team } = usePage();
  if (!mayManage.value || !team.value) return null;
  const path = `/api/teams/${team.value.id}`;
  const named = (values: Record<string, string>) => families.filter((family) => values[family]);
  const isOther = (family: string) => Number(!isWidelyUsed({ client: `${family}.` }));
  return (
    <DialogForm
      text="Choose clients"
      label="Choose clients"
      title="Clients your team checks"
      form={{
        fields: families
          .toSorted((a, b) => isOther(a) - isOther(b))
          .map((name) => ({
            name,
            label: clientName(name),
            as: 'tick',
            start: clients.some(({ client }) => client.startsWith(`${name}.`)) ? 'yes' : '',
          })),
        call(_, values) {
          const names = named(values);
          return { method: 'PATCH', path, body: { clients: names.length < families.length ? names : null } };
        },
        label: 'Save',
        disabled: (values) => named(values).length === 0,
        done: chosen,
      }}
    />
  );
}

function ClientList({ label, clients }: { label: string; clients: Client[] }) {
  if (clients.length === 0) return null;
  return (
    <ul class="cards clients" aria-label={label}>
      {clients.map((client) => (
        <ClientItem key={client.client} of={client} />
      ))}
    </ul>
  );
}

/** Client that opens to show its features. The features are drawn only then because there may be thousands. */
function ClientItem({ of: client }: { of: Client }) {
  const [open, setOpen] = useState(false);
  const { no, partial } = countsOf(client);
  return (
    <li>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="opens">
          <span class="client-name">{clientName(client.client)}</span>
          {no > 0 && <Chip result={`${no} missing`} tone="danger" />}
          {partial > 0 && <Chip result={`${partial} in part`} tone="warning" />}
          {no === 0 && partial === 0 && <Chip result={count(client.features.length, 'note')} tone="plain" />}
        </summary>
        {open && (
          <ul class="breaks features">
            {client.features.map((feature) => (
              <FeatureItem key={feature.slug} of={feature} />
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}

const supports: Record<Feature['support'], [string, Tone]> = {
  no: ['missing', 'danger'],
  partial: ['in part', 'warning'],
  yes: ['with a note', 'plain'],
};

/** Feature that a client limits, with a link to the line that uses it. */
function FeatureItem({ of: feature }: { of: Feature }) {
  const { slug, title, url, support, count: uses, line, notes } = feature;
  const word =
    slug
      .replace(/^[a-z]+-(?:(?:at|pseudo-class|pseudo-element|unit|selector|function)-)?/, '')
      .split('-')[0] ?? '';
  const [says, tone] = supports[support];
  return (
    <li>
      <div class="line wrap feature">
        <a href={url} target="_blank" rel="noopener noreferrer" title={`${title} on caniemail.com`}>
          {title} <Icon name="open" size={12} />
        </a>
        <Chip result={says} tone={tone} />
        {uses > 1 && <span class="muted">{uses} times</span>}
        <LineLink line={line} word={word} title={title} />
      </div>
      {notes.map((note) => (
        <p key={note} class="muted">
          {plain(note)}
        </p>
      ))}
    </li>
  );
}

/** Removes links and code marks (Markdown) from a note. */
// Bounded: notes from this project's data.
const plain = (note: string) => note.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
