import type { Team } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Form } from '../parts/form.tsx';
import { allMail, hrefOf } from '../place-url.ts';
import { roleWords } from '../teams/roles.ts';
import { Head } from './head.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { Removal } from './removal.tsx';
import { Switch, type Toggle } from './switch.tsx';

/** Page of the team: its name, members and invitations. In the personal team it only offers to make another. */
export function TeamPage() {
  const { sharedTeam, teams } = usePage();
  if (teams.value === null) return null;
  const team = sharedTeam.value;
  return (
    <>
      <Head
        title="Team"
        creates="team"
        form={{
          fields: [{ name: 'name', label: 'Name', help: 'Example: Checkout' }],
          call: (body) => ({ method: 'POST', path: '/api/teams', body }),
          label: 'Create team',
          done: ({ id }: Team) => location.assign(hrefOf({ view: 'manage', page: 'team' }, id)),
        }}
      />
      {team ? (
        <Shared key={team.id} team={team} />
      ) : (
        <p class="muted">
          Only you can see these domains, accounts and messages. To share mail with others, create a team and
          invite them. Each team has its own domains, accounts and keys.
        </p>
      )}
    </>
  );
}

const sharing: Toggle<Team> = {
  field: 'allows_shares',
  label: 'Share links',
  help: 'Members can share messages and accounts. Turning this off revokes all links.',
  isOn: ({ allows_shares }) => allows_shares,
};

function Shared({ team }: { team: Team }) {
  const { id, name, role } = team;
  const { mayManage, reloadTeams, session } = usePage();
  const path = `/api/teams/${id}`;
  // The API refuses to rename or delete the team of a Kubernetes namespace.
  const isNamespace = name.startsWith('namespace/');
  const isOwner = mayManage.value;
  return (
    <>
      <p>
        In <strong>{name}</strong> you are {roleWords[role].as}: you may {roleWords[role].may}.
      </p>
      <Members team={id} self={session.value?.id ?? 0} />
      {isOwner && <Invitations team={id} />}
      {isOwner && !isNamespace && (
        <section class="boxed panel" aria-label="Name">
          <Form
            fields={[{ name: 'name', label: 'Team name', start: name }]}
            call={(body) => ({ method: 'PATCH', path, body })}
            label="Rename"
            look="beside"
            disabled={(values) => values.name.trim() === name}
            done={reloadTeams}
          />
          <Switch of={sharing} item={team} path={path} done={reloadTeams} />
          <div>
            <Removal
              typed
              name={name}
              path={path}
              loss="This also deletes its domains, accounts, mail and API keys, for all members."
              done={() => location.assign(hrefOf(allMail))}
            />
          </div>
        </section>
      )}
    </>
  );
}
