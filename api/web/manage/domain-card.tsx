import { reloadDirectory } from '../client/directory.ts';
import type { Domain } from '../client/shapes.ts';
import { mayWrite } from '../client/teams.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { When } from '../parts/when.tsx';
import { Delete } from './delete.tsx';
import { Managed } from './managed.tsx';
import { MoveDomain } from './move-domain.tsx';
import { Switch } from './switch.tsx';

type Props = { domain: Domain; mxHosts: string[] };

/** Card of a domain: one line, which opens to its details and actions. */
export function DomainCard({ domain, mxHosts }: Props) {
  const path = `/api/domains/${domain.id}`;
  const fixed = domain.managed_by === 'kubernetes';
  return (
    <li>
      <details class="card">
        <summary>
          <span class="card-name">{domain.domain}</span>
          {fixed && <span class="badge">Kubernetes</span>}
          {!domain.is_active && <span class="badge warning">inactive</span>}
          <span class={`badge ${domain.verification_status}`}>{domain.verification_status}</span>
        </summary>
        <div class="card-body">
          <Managed resource={domain.managed_by_resource} kind="spdom" />
          <Verification domain={domain} />
          {domain.verification_source !== 'manual' && <MxLines domain={domain.domain} hosts={mxHosts} />}
          {mayWrite.value && (
            <>
              <Switch
                label="Active"
                help="An inactive domain answers 450: senders try again later."
                on={domain.is_active}
                disabled={fixed}
                call={(on) => ({ method: 'PATCH', path, body: { is_active: on } })}
                done={reloadDirectory}
              />
              <Switch
                label="Verified without an MX record"
                help="For development. Off: its MX record decides."
                on={domain.verification_source === 'manual'}
                disabled={fixed}
                call={(on) => ({ method: 'PATCH', path, body: { mx_verified: on } })}
                done={reloadDirectory}
              />
              <div class="card-acts">
                <MoveDomain domain={domain} disabled={fixed} />
                <Delete
                  name={domain.domain}
                  path={path}
                  loss="Its accounts, mailboxes and messages go with it."
                  disabled={fixed}
                  done={reloadDirectory}
                />
              </div>
            </>
          )}
        </div>
      </details>
    </li>
  );
}

function Verification({ domain }: { domain: Domain }) {
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
function MxLines({ domain, hosts }: { domain: string; hosts: string[] }) {
  const lines = hosts.map((host) => `${domain}. 3600 IN MX 10 ${host}.`).join('\n');
  return (
    <div class="lines">
      <p>To verify it, publish:</p>
      <pre>{lines}</pre>
      <CopyButton text={lines} label={`Copy the MX record of ${domain}`} />
    </div>
  );
}
