import { useState } from 'preact/hooks';
import { session } from '../client/session.ts';
import type { Team } from '../client/shapes.ts';
import { mayManage, reloadTeams, sharedTeam, teams } from '../client/teams.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';
import { allMail } from '../place.ts';
import { hrefOf } from '../place-url.ts';
import { roleWords } from '../teams/roles.ts';
import { Delete } from './delete.tsx';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';

/** Page of the team: its name, members and invitations. In the personal team it only offers to make another. */
export function TeamPage() {
  if (teams.value === null) return null;
  const team = sharedTeam.value;
  return (
    <>
      <h1>Team</h1>
      {team ? <Shared key={team.id} team={team} /> : <Personal />}
      <NewTeam />
    </>
  );
}

function Personal() {
  return (
    <p class="muted">
      These are your own domains, accounts and mail: nobody else sees them. To share mail with other people,
      make a team and invite them. Each team has domains, accounts and keys of its own.
    </p>
  );
}

function Shared({ team }: { team: Team }) {
  const { id, name, role } = team;
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
        <section class="panel" aria-label="Name">
          <Rename team={team} />
          <div>
            <Delete
              name={name}
              path={`/api/teams/${id}`}
              loss="Its domains, accounts, mail and API keys go with it, for all of its members."
              done={() => location.assign(hrefOf(allMail))}
            />
          </div>
        </section>
      )}
    </>
  );
}

function Rename({ team }: { team: Team }) {
  const [name, setName] = useState(team.name);
  return (
    <Action
      call={{ method: 'PATCH', path: `/api/teams/${team.id}`, body: { name: name.trim() } }}
      label="Rename"
      look="beside"
      disabled={name.trim() === team.name}
      done={reloadTeams}
    >
      <Field name="name" label="Name of the team" value={name} set={setName} />
    </Action>
  );
}

function NewTeam() {
  const [name, setName] = useState('');
  return (
    <section class="panel" aria-label="New team">
      <Action<Team>
        call={{ method: 'POST', path: '/api/teams', body: { name: name.trim() } }}
        label="Make team"
        done={({ id }) => location.assign(hrefOf({ view: 'manage', page: 'team' }, id))}
      >
        <Field name="name" label="New team" value={name} set={setName} help="Such as Checkout" />
      </Action>
    </section>
  );
}
