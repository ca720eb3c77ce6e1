import type { CreatedInvitation, Invitation, Member, Team } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Refusal } from '../parts/field.tsx';
import { Form, ifGiven, Once } from '../parts/form.tsx';
import { Day, When } from '../parts/when.tsx';
import { allMail, hrefOf } from '../place-url.ts';
import { roles, roleWords } from '../teams/roles.ts';
import { afterRemoval, Entry, Head, Listing, Removal, useList, useRepeated, useSecrets } from './listing.tsx';
import { Switch, type Toggle } from './switch.tsx';

/** Team page: name, members and invitations. For the personal team, it offers only to create another team. */
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
  // The API refuses to rename or delete a Kubernetes namespace's team.
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
        <section class="stack boxed panel" aria-label="Name">
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

/** Members of the team. Owners change their roles and remove them. */
function Members({ team, self }: { team: number; self: number }) {
  const { mayManage } = usePage();
  const base = `/api/teams/${team}/members`;
  const list = useList<Member>(base);
  useRepeated(list);
  return (
    <>
      <h2>Members</h2>
      <Listing plural="members" {...list} nameOf={({ email }) => email}>
        {(member) => (
          <Entry
            key={member.user_id}
            name={member.email}
            badges={[member.user_id === self && 'you']}
            facts={
              <p class="muted">
                joined <When at={member.joined_at} />
                {member.managed_by !== null && `, ${originOf(member.managed_by)}`}
              </p>
            }
          >
            {mayManage.value && member.managed_by === null ? (
              <Acts
                member={member}
                path={`${base}/${member.user_id}`}
                isSelf={member.user_id === self}
                changed={list.reload}
              />
            ) : (
              <span class="badge">{member.role}</span>
            )}
          </Entry>
        )}
      </Listing>
    </>
  );
}

const originOf = (source: string) =>
  source === 'group'
    ? 'comes from an identity provider group'
    : `comes from the Kubernetes resource ${source}`;

type ActsProps = { member: Member; path: string; isSelf: boolean; changed(): unknown };

function Acts({ member: { email, role }, path, isSelf, changed }: ActsProps) {
  const { reloadTeams } = usePage();
  const who = isSelf ? 'You lose' : `${email} loses`;
  const act = isSelf ? 'Leave' : 'Remove';
  return (
    <>
      <Form
        key={role}
        fields={[{ name: 'role', label: `Role of ${email}`, hideLabel: true, choices: roles, start: role }]}
        call={(body) => ({ method: 'PATCH', path, body })}
        label="Change"
        look="beside"
        disabled={(chosen) => chosen.role === role}
        done={() =>
          afterRemoval(async () => {
            await changed();
            await reloadTeams();
          })
        }
      />
      <Removal
        act={act}
        name={isSelf ? 'the team' : email}
        path={path}
        verb={`${act} ${isSelf ? 'the team' : 'from the team'}`}
        loss={`${who} access to the team's mail within seconds. This revokes the API keys that ${isSelf ? 'you' : 'they'} created in this team.`}
        explain={({ violations = [] }) =>
          violations
            .map(({ field, message }) => `${field === 'user_id' ? email : field} ${message}`)
            .join('; ') || undefined
        }
        // Hides the team from a former member.
        done={() => (isSelf ? location.assign(hrefOf(allMail)) : changed())}
      />
    </>
  );
}

/** Open invitations to the team. Shows a new invitation's address once. */
function Invitations({ team }: { team: number }) {
  const path = `/api/teams/${team}/invitations`;
  const { created, made, revoked, ...list } = useSecrets<Invitation, CreatedInvitation>(path);
  useRepeated(list);
  return (
    <>
      <Head
        title="Invitations"
        level="h2"
        creates="invitation"
        form={{
          fields: [
            { name: 'role', label: 'Role', choices: roles, start: 'member' },
            {
              name: 'email',
              label: 'Email (optional)',
              type: 'email',
              help: 'Only this person can accept it. Sandpost sends no email: share the link yourself.',
              sent: ifGiven,
            },
          ],
          call: (body) => ({ method: 'POST', path, body }),
          label: 'Create invitation',
          children: ({ role }) => (
            <p class="small">
              As {wordsOf(role).as}, they may {wordsOf(role).may}.
            </p>
          ),
          done: made,
        }}
      />
      {created && list.items?.some(({ id }) => id === created.id) && (
        <Once name="New invitation" secret={created.url} copyLabel="Copy the invitation link">
          Send this link to {created.email ?? 'the person you invite'} ({created.role}). It works once, for
          seven days, and is not shown again.
        </Once>
      )}
      {list.items?.length === 0 ? (
        <Refusal text={list.refusal} again={list.reload} />
      ) : (
        <Listing plural="invitations" {...list} nameOf={labelOf}>
          {(invitation) => (
            <Entry
              key={invitation.id}
              name={labelOf(invitation)}
              badges={[invitation.role]}
              facts={
                <p class="muted">
                  until <Day at={invitation.expires_at} />
                </p>
              }
            >
              <Removal
                act="Revoke"
                name="the invitation"
                label={`Revoke the invitation: ${labelOf(invitation)}`}
                path={`${path}/${invitation.id}`}
                loss="Its link stops working. Anyone who has already accepted stays a member."
                done={() => revoked(invitation)}
              />
            </Entry>
          )}
        </Listing>
      )}
    </>
  );
}

const labelOf = ({ email }: Invitation) => email ?? 'Anyone with the link';

const wordsOf = (role: string) => roleWords[roles.find((name) => name === role) ?? 'member'];
