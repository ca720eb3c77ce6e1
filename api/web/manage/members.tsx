import { useEffect, useState } from 'preact/hooks';
import { readAll } from '../client/directory.ts';
import type { Member, Role } from '../client/shapes.ts';
import { mayManage, reloadTeams } from '../client/teams.ts';
import { Action } from '../parts/action.tsx';
import { problemOf } from '../parts/call.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { When } from '../parts/when.tsx';
import { allMail } from '../place.ts';
import { hrefOf } from '../place-url.ts';
import { roles } from '../teams/roles.ts';
import { afterRemoval } from './after-removal.ts';
import { Listing } from './listing.tsx';

type Props = { team: number; self: number };

/** Members of the team. Owners change their roles and remove them. */
export function Members({ team, self }: Props) {
  const [members, setMembers] = useState<Member[] | null>(null);
  const [refusal, setRefusal] = useState('');
  const read = () =>
    readAll<Member>(`/api/teams/${team}/members`).then(setMembers, (error) =>
      setRefusal(problemOf(error).detail),
    );
  useEffect(() => void read(), []);
  return (
    <>
      <h2>Members</h2>
      <Refusal text={refusal} />
      {members && (
        <Listing things="members" items={members} nameOf={({ email }) => email}>
          {(member) => (
            <MemberRow
              key={member.user_id}
              member={member}
              path={`/api/teams/${team}/members/${member.user_id}`}
              isSelf={member.user_id === self}
              changed={read}
            />
          )}
        </Listing>
      )}
    </>
  );
}

type RowProps = { member: Member; path: string; isSelf: boolean; changed(): unknown };

function MemberRow({ member, path, isSelf, changed }: RowProps) {
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
          <Removal email={email} path={path} isSelf={isSelf} removed={changed} />
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
  const [role, setRole] = useState<string>(member.role);
  useEffect(() => setRole(member.role), [member.role]);
  const done = () =>
    afterRemoval(async () => {
      await changed();
      await reloadTeams();
    });
  return (
    <Action
      call={{ method: 'PATCH', path, body: { role } }}
      label="Change"
      look="beside"
      disabled={role === member.role}
      curl={role !== member.role}
      done={done}
    >
      <Field
        name="role"
        label={`Role of ${member.email}`}
        hideLabel
        value={role}
        set={setRole}
        choices={roles satisfies readonly Role[]}
      />
    </Action>
  );
}

type RemovalProps = { email: string; path: string; isSelf: boolean; removed(): unknown };

function Removal({ email, path, isSelf, removed }: RemovalProps) {
  const [open, setOpen] = useState(false);
  const verb = isSelf ? 'Leave' : 'Remove';
  return (
    <>
      <button
        type="button"
        class="danger"
        aria-label={isSelf ? 'Leave the team' : `Remove ${email}`}
        onClick={() => setOpen(true)}
      >
        {verb}…
      </button>
      {open && (
        <Dialog title={isSelf ? 'Leave the team?' : `Remove ${email}?`} close={() => setOpen(false)}>
          <Action
            call={{ method: 'DELETE', path }}
            label={isSelf ? 'Leave the team' : 'Remove from the team'}
            look="danger"
            cancel={() => setOpen(false)}
            explain={({ violations = [] }) =>
              violations
                .map(({ field, message }) => `${field === 'user_id' ? email : field} ${message}`)
                .join('; ') || undefined
            }
            // Shows nothing more of a team to a former member.
            done={() => (isSelf ? location.assign(hrefOf(allMail)) : afterRemoval(removed))}
          >
            <p>
              {isSelf ? 'You no longer see' : `${email} no longer sees`} the team's mail within seconds. API
              keys that {isSelf ? 'you' : 'they'} made in this team are revoked.
            </p>
          </Action>
        </Dialog>
      )}
    </>
  );
}
