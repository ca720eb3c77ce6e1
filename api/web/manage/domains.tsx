import { useState } from 'preact/hooks';
import type { Domain } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { Field, Tick } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { When } from '../parts/when.tsx';
import { Listing, Managed } from './listing.tsx';
import { afterRemoval, Delete } from './removal.tsx';
import { Switch } from './switch.tsx';

/** Page of the team's domains: whether and why each is verified, and its actions. */
export function Domains() {
  const { directory, mayWrite } = usePage();
  return (
    <>
      <h1>Domains</h1>
      {mayWrite.value && <NewDomain />}
      <Listing plural="domains" items={directory.value?.domains ?? []} nameOf={({ domain }) => domain}>
        {(domain) => <DomainCard key={domain.id} domain={domain} />}
      </Listing>
    </>
  );
}

function NewDomain() {
  const { reloadDirectory } = usePage();
  const [vouched, setVouched] = useState(true);
  const help = 'Such as app.test or mail.staging.example.com';
  return (
    <Form
      panel="New domain"
      fields={[{ name: 'domain', label: 'New domain', help }]}
      call={({ domain }) => ({
        method: 'POST',
        path: '/api/domains',
        body: { domain: domain.trim(), mx_verified: vouched },
      })}
      label="Add domain"
      done={reloadDirectory}
    >
      <Tick label="Verified without an MX record (for development)" on={vouched} set={setVouched} />
    </Form>
  );
}

type Props = { domain: Domain };

/** Card of a domain: one line, which opens to its details and actions. */
function DomainCard({ domain }: Props) {
  const { mayWrite } = usePage();
  return (
    <li>
      <details class="card">
        <summary>
          <span class="card-name">{domain.domain}</span>
          {isManaged(domain) && <span class="badge">Kubernetes</span>}
          {!domain.is_active && <span class="badge warning">inactive</span>}
          <span class={`badge ${domain.verification_status}`}>{domain.verification_status}</span>
        </summary>
        <div class="card-body">
          <Managed resource={domain.managed_by_resource} kind="spdom" />
          <Verification domain={domain} />
          {domain.verification_source !== 'manual' && <MxLines domain={domain} />}
          {mayWrite.value && <Acts domain={domain} />}
        </div>
      </details>
    </li>
  );
}

const isManaged = ({ managed_by }: Domain) => managed_by === 'kubernetes';

function Acts({ domain }: Props) {
  const { reloadDirectory } = usePage();
  const path = `/api/domains/${domain.id}`;
  return (
    <>
      <Switch
        label="Active"
        help="An inactive domain answers 450: senders try again later."
        on={domain.is_active}
        disabled={isManaged(domain)}
        path={path}
        field="is_active"
      />
      <Switch
        label="Verified without an MX record"
        help="For development. Off: its MX record decides."
        on={domain.verification_source === 'manual'}
        disabled={isManaged(domain)}
        path={path}
        field="mx_verified"
      />
      <div class="card-acts">
        <MoveDomain domain={domain} />
        <Delete
          name={domain.domain}
          path={path}
          loss="Its accounts, mailboxes and messages go with it."
          disabled={isManaged(domain)}
          done={reloadDirectory}
        />
      </div>
    </>
  );
}

function Verification({ domain }: Props) {
  const { verification_status: status, verification_source: source, verification_detail: detail } = domain;
  return (
    <p>
      {sentences[source ?? status]}
      {domain.last_checked_at && (
        <span class="muted">
          {' '}
          Last check, <When at={domain.last_checked_at} />
          {detail && `: ${detail}`}.
        </span>
      )}
    </p>
  );
}

const sentences: Record<string, string> = {
  manual: 'Verified by you, without an MX record.',
  mx: 'Verified: its MX record points here.',
  pending: 'Not verified yet: its MX record is looked up every minute.',
  failed: 'Not verified: three checks in a row found no MX record that points here.',
};

/** MX records to publish, in the form of a zone file (RFC 1035 section 5). */
function MxLines({ domain: { domain } }: Props) {
  const { server } = usePage();
  const hosts = server.value?.mx_hosts ?? [];
  const lines = hosts.map((host) => `${domain}. 3600 IN MX 10 ${host}.`).join('\n');
  return (
    <div class="lines">
      <p>To verify it, publish:</p>
      <pre>{lines}</pre>
      <CopyButton text={lines} label={`Copy the MX record of ${domain}`} />
    </div>
  );
}

/** Button that moves a domain to another team, after a dialog that says what it means. Absent if there is no such team. */
function MoveDomain({ domain }: Props) {
  const { movesTo } = usePage();
  if (movesTo.value.length === 0) return null;
  return (
    <DialogButton
      text="Move to another team…"
      label={`Move to another team: ${domain.domain}`}
      disabled={isManaged(domain)}
      title={`Move ${domain.domain} to another team?`}
    >
      {(close) => <Confirmation domain={domain} cancel={close} />}
    </DialogButton>
  );
}

function Confirmation({ domain: { id, domain }, cancel }: Props & { cancel(): void }) {
  const { movesTo, reloadDirectory, teamName, tell } = usePage();
  const [chosen, setChosen] = useState('');
  const choices = movesTo.value.map((team) => [`${team.id}`, teamName(team)] as const);
  const [to = '', name = ''] = choices.find(([team]) => team === chosen) ?? choices[0] ?? [];
  return (
    <Form
      call={() => ({ method: 'POST', path: `/api/domains/${id}/move`, body: { team_id: Number(to) } })}
      label={`Move to ${name}`}
      cancel={cancel}
      done={() => {
        tell(`${domain} moves to ${name}`);
        return afterRemoval(reloadDirectory);
      }}
    >
      <p>
        Its accounts, mailboxes and messages go along, and the members of the other team see them. This team’s
        API keys and event streams lose them at once.
      </p>
      <Field name="team_id" label="Team" value={to} set={setChosen} choices={choices} />
    </Form>
  );
}
