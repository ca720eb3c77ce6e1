import type { Member } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Form } from '../parts/form.tsx';
import { When } from '../parts/when.tsx';
import { allMail, hrefOf } from '../place-url.ts';
import { roles } from '../teams/roles.ts';
import { Entry } from './card.tsx';
import { Listing, useList } from './listing.tsx';
import { afterRemoval, Removal } from './removal.tsx';

/** Members of the team. Owners change their roles and remove them. */
export function Members({ team, self }: { team: number; self: number }) {
  const { mayManage } = usePage();
  const base = `/api/teams/${team}/members`;
  const { reload, ...list } = useList<Member>(base);
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
                changed={reload}
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
        // Shows nothing more of a team to a former member.
        done={() => (isSelf ? location.assign(hrefOf(allMail)) : changed())}
      />
    </>
  );
}
