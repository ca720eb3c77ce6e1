import type { Domain } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Copied } from '../parts/copy-button.tsx';
import { DialogForm } from '../parts/dialog.tsx';
import { When } from '../parts/when.tsx';
import { afterRemoval, Head, Listing } from './listing.tsx';
import { isManaged, ManagedCard } from './managed.tsx';
import type { Toggle } from './switch.tsx';

const toggles: Toggle<Domain>[] = [
  {
    field: 'is_active',
    label: 'Active',
    help: 'An inactive domain refuses mail with 450, so senders retry later.',
    isOn: ({ is_active }) => is_active,
    off: ['inactive', 'warning'],
  },
  {
    field: 'mx_verified',
    label: 'Verified without an MX record',
    help: 'For development. Turn this off to check the MX record instead.',
    isOn: ({ verification_source }) => verification_source === 'manual',
  },
];

const tones = { verified: 'good', pending: 'warning', failed: 'danger' } as const;

/** Page of the team's domains: whether and why each domain is verified, and its actions. */
export function Domains() {
  const { directory, mayWrite, reloadDirectory } = usePage();
  const vouched = 'Verified without an MX record (for development)';
  return (
    <>
      <Head
        title="Domains"
        creates="domain"
        form={
          mayWrite.value && {
            fields: [
              { name: 'domain', label: 'Name', help: 'Example: app.test or mail.staging.example.com' },
              { name: 'mx_verified', label: vouched, as: 'tick', start: 'yes' },
            ],
            call: (body) => ({ method: 'POST', path: '/api/domains', body }),
            label: 'Create domain',
            done: reloadDirectory,
          }
        }
      />
      <Listing plural="domains" items={directory.value?.domains ?? []} nameOf={({ domain }) => domain}>
        {(domain) => (
          <ManagedCard
            key={domain.id}
            name={domain.domain}
            shown={<span title={domain.domain}>{domain.unicode ?? domain.domain}</span>}
            item={domain}
            kind="spdom"
            path={`/api/domains/${domain.id}`}
            toggles={toggles}
            badges={[[domain.verification_status, tones[domain.verification_status]]]}
            loss="This also deletes its accounts, mailboxes and messages."
            acts={<MoveDomain domain={domain} />}
          >
            <Verification domain={domain} />
            {domain.verification_source !== 'manual' && <MxLines domain={domain} />}
          </ManagedCard>
        )}
      </Listing>
    </>
  );
}

type Props = { domain: Domain };

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
  pending: "Not verified yet. Sandpost checks the domain's MX record every minute.",
  failed: 'Not verified: three checks in a row found no MX record pointing here.',
};

/** MX records to publish, in zone file format (RFC 1035 section 5). */
function MxLines({ domain: { domain } }: Props) {
  const { server } = usePage();
  const hosts = server.value?.mx_hosts ?? [];
  const lines = hosts.map((host) => `${domain}. 3600 IN MX 10 ${host}.`).join('\n');
  return (
    <div class="stack">
      <p>To verify it, publish this record:</p>
      <Copied text={lines} label={`Copy the MX record for ${domain}`} />
    </div>
  );
}

/**
 * Button that moves a domain to another team, after a dialog that explains the effects. Absent if there is no team to which the user may
 * move it.
 */
function MoveDomain({ domain }: Props) {
  const { movesTo, reloadDirectory, teamName, tell } = usePage();
  const choices = movesTo.value.map((team) => [`${team.id}`, teamName(team)] as const);
  if (choices.length === 0) return null;
  const nameOf = (team: string) => choices.find(([id]) => id === team)?.[1];
  return (
    <DialogForm
      text="Move to another team…"
      label={`Move to another team: ${domain.domain}`}
      disabled={isManaged(domain)}
      title={`Move ${domain.domain} to another team?`}
      form={{
        lead: (
          <p>
            Its accounts, mailboxes and messages move with it, and the other team's members can see them. This
            team's API keys and event streams lose access immediately.
          </p>
        ),
        fields: [{ name: 'team_id', label: 'Team', choices, sent: Number }],
        call: (body) => ({ method: 'POST', path: `/api/domains/${domain.id}/move`, body }),
        label: ({ team_id }) => `Move to ${nameOf(team_id)}`,
        done: (_, { team_id }) => {
          tell(`${domain.domain} moves to ${nameOf(team_id)}`);
          return afterRemoval(reloadDirectory);
        },
      }}
    />
  );
}
