import type { CreatedInvitation, Invitation } from '../client/shapes.ts';
import { Refusal } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Day } from '../parts/when.tsx';
import { roles, roleWords } from '../teams/roles.ts';
import { Listing, Once, useSecrets } from './listing.tsx';
import { Removal } from './removal.tsx';

/** Invitations to the team that can still be accepted. The address of a new one is shown once. */
export function Invitations({ team }: { team: number }) {
  const base = `/api/teams/${team}/invitations`;
  const { items: open, refusal, created, made, revoked } = useSecrets<Invitation, CreatedInvitation>(base);
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
      {open?.length === 0 ? (
        <Refusal text={refusal} />
      ) : (
        <Listing plural="invitations" items={open} refusal={refusal} nameOf={labelOf}>
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
  return (
    <Form
      panel="New invitation"
      fields={[
        { name: 'role', label: 'Role', choices: roles, start: 'member' },
        {
          name: 'email',
          label: 'E-mail (optional)',
          type: 'email',
          help: 'Only this person can accept it. Nothing is sent: pass the address on yourself.',
        },
      ]}
      pair
      call={({ role, email }) => ({
        method: 'POST',
        path,
        body: { role, ...(email.trim() === '' ? {} : { email: email.trim() }) },
      })}
      label="Make invitation"
      done={done}
    >
      {({ role }) => (
        <p class="help">
          As {wordsOf(role).as}, they may {wordsOf(role).may}.
        </p>
      )}
    </Form>
  );
}

const wordsOf = (role: string) => roleWords[roles.find((name) => name === role) ?? 'member'];

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
