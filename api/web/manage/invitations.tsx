import { useState } from 'preact/hooks';
import type { CreatedInvitation, Invitation } from '../client/shapes.ts';
import { Action } from '../parts/action.tsx';
import { Field, Refusal } from '../parts/field.tsx';
import { Day } from '../parts/when.tsx';
import { roles, roleWords } from '../teams/roles.ts';
import { Listing, Once, useList } from './listing.tsx';
import { Removal } from './removal.tsx';

/** Invitations to the team that can still be accepted. The address of a new one is shown once. */
export function Invitations({ team }: { team: number }) {
  const base = `/api/teams/${team}/invitations`;
  const { items: open, refusal, reload } = useList<Invitation>(base);
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const made = (invitation: CreatedInvitation) => {
    setCreated(invitation);
    return reload();
  };
  const revoked = ({ id }: Invitation) => {
    if (created?.id === id) setCreated(null);
    return reload();
  };
  return (
    <>
      <h2>Invitations</h2>
      <NewInvitation path={base} done={made} />
      {created && (
        <Once name="The new invitation" secret={created.url} copyLabel="Copy the address of the invitation">
          Give this address to {created.email ?? 'the person whom you invite'} ({created.role}). It works
          once, for seven days, and is not shown again.
        </Once>
      )}
      <Refusal text={refusal} />
      {open && open.length > 0 && (
        <Listing plural="invitations" items={open} nameOf={labelOf}>
          {(invitation) => (
            <InvitationRow
              key={invitation.id}
              of={invitation}
              path={`${base}/${invitation.id}`}
              revoked={() => revoked(invitation)}
            />
          )}
        </Listing>
      )}
    </>
  );
}

const labelOf = ({ email }: Invitation) => email ?? 'Anybody with the address';

type NewProps = { path: string; done(invitation: CreatedInvitation): unknown };

function NewInvitation({ path, done }: NewProps) {
  const [role, setRole] = useState<string>('member');
  const [email, setEmail] = useState('');
  const made = (invitation: CreatedInvitation) => {
    setEmail('');
    return done(invitation);
  };
  const words = roleWords[roles.find((name) => name === role) ?? 'member'];
  const body = { role, ...(email.trim() === '' ? {} : { email: email.trim() }) };
  return (
    <section class="panel" aria-label="New invitation">
      <Action call={{ method: 'POST', path, body }} label="Make invitation" done={made}>
        <div class="pair">
          <Field name="role" label="Role" value={role} set={setRole} choices={roles} />
          <Field
            name="email"
            label="E-mail (optional)"
            type="email"
            value={email}
            set={setEmail}
            help="Only this person can accept it. Nothing is sent: pass the address on yourself."
          />
        </div>
        <p class="help">
          As {words.as}, they may {words.may}.
        </p>
      </Action>
    </section>
  );
}

type RowProps = { of: Invitation; path: string; revoked(): unknown };

function InvitationRow({ of: invitation, path, revoked }: RowProps) {
  const label = labelOf(invitation);
  return (
    <li class="entry">
      <div>
        <span class="card-name">{label}</span>
        <span class="badge">{invitation.role}</span>
        <p class="muted">
          until <Day at={invitation.expires_at} />
        </p>
      </div>
      <Removal
        text="Revoke…"
        label={`Revoke the invitation: ${label}`}
        title="Revoke the invitation?"
        verb="Revoke for good"
        loss="Its address no longer works. Who has accepted it stays a member."
        path={path}
        done={revoked}
      />
    </li>
  );
}
