import type { Member } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Form } from '../parts/form.tsx';
import { When } from '../parts/when.tsx';
import { allMail, hrefOf } from '../place-url.ts';
import { roles } from '../teams/roles.ts';
import { Listing, useList } from './listing.tsx';
import { afterRemoval, Removal } from './removal.tsx';

/** Members of the team. Owners change their roles and remove them. */
export function Members({ team, self }: { team: number; self: number }) {
  const base = `/api/teams/${team}/members`;
  const { items, refusal, reload } = useList<Member>(base);
  return (
    <>
      <h2>Members</h2>
      <Listing plural="members" items={items} refusal={refusal} nameOf={({ email }) => email}>
        {(member) => (
          <MemberRow
            key={member.user_id}
            member={member}
            path={`${base}/${member.user_id}`}
            isSelf={member.user_id === self}
            changed={reload}
          />
        )}
      </Listing>
    </>
  );
}

type RowProps = { member: Member; path: string; isSelf: boolean; changed(): unknown };

function MemberRow({ member, path, isSelf, changed }: RowProps) {
  const { mayManage } = usePage();
  const { email, role, managed_by, joined_at } = member;
  const isOpen = mayManage.value && managed_by === null;
  return (
    <li class="entry">
      <div>
        <span class="card-name">{email}</span>
        {isSelf && <span class="badge">you</span>}
        <p class="muted">
          joined <When at={joined_at} />
          {managed_by !== null && `, ${originOf(managed_by)}`}
        </p>
      </div>
      {isOpen ? (
        <>
          <RoleForm member={member} path={path} changed={changed} />
          <MemberRemoval email={email} path={path} isSelf={isSelf} removed={changed} />
        </>
      ) : (
        <span class="badge">{role}</span>
      )}
    </li>
  );
}

const originOf = (source: string) =>
  source === 'group'
    ? 'comes from a group of the identity provider'
    : `comes from the Kubernetes resource ${source}`;

function RoleForm({ member, path, changed }: Omit<RowProps, 'isSelf'>) {
  const { reloadTeams } = usePage();
  const { email, role } = member;
  const done = () =>
    afterRemoval(async () => {
      await changed();
      await reloadTeams();
    });
  return (
    <Form
      key={role}
      fields={[{ name: 'role', label: `Role of ${email}`, hideLabel: true, choices: roles, start: role }]}
      call={(body) => ({ method: 'PATCH', path, body })}
      label="Change"
      look="beside"
      disabled={(chosen) => chosen.role === role}
      curl={(chosen) => chosen.role !== role}
      done={done}
    />
  );
}

type RemovalProps = { email: string; path: string; isSelf: boolean; removed(): unknown };

function MemberRemoval({ email, path, isSelf, removed }: RemovalProps) {
  const who = isSelf ? 'You no longer see' : `${email} no longer sees`;
  return (
    <Removal
      text={isSelf ? 'Leave…' : 'Remove…'}
      label={isSelf ? 'Leave the team' : `Remove ${email}`}
      title={isSelf ? 'Leave the team?' : `Remove ${email}?`}
      verb={isSelf ? 'Leave the team' : 'Remove from the team'}
      loss={`${who} the team's mail within seconds. API keys that ${isSelf ? 'you' : 'they'} made in this team are revoked.`}
      path={path}
      explain={({ violations = [] }) =>
        violations
          .map(({ field, message }) => `${field === 'user_id' ? email : field} ${message}`)
          .join('; ') || undefined
      }
      // Shows nothing more of a team to a former member.
      done={() => (isSelf ? location.assign(hrefOf(allMail)) : removed())}
    />
  );
}
