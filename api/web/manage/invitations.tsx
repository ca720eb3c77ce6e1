import { useEffect, useState } from 'preact/hooks';
import { readAll } from '../client/directory.ts';
import type { CreatedInvitation, Invitation } from '../client/shapes.ts';
import { Action } from '../parts/action.tsx';
import { day, exactTime } from '../parts/ago.ts';
import { problemOf } from '../parts/call.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { roles, roleWords } from '../teams/roles.ts';
import { afterRemoval } from './after-removal.ts';
import { Listing } from './listing.tsx';

/** Invitations to the team that can still be accepted. The address of a new one is shown once. */
export function Invitations({ team }: { team: number }) {
  const base = `/api/teams/${team}/invitations`;
  const [open, setOpen] = useState<Invitation[] | null>(null);
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const [refusal, setRefusal] = useState('');
  const read = () => readAll<Invitation>(base).then(setOpen, (error) => setRefusal(problemOf(error).detail));
  useEffect(() => void read(), []);
  return (
    <>
      <h2>Invitations</h2>
      <NewInvitation
        path={base}
        done={(invitation) => {
          setCreated(invitation);
          return read();
        }}
      />
      {created && <OnceShown of={created} />}
      <Refusal text={refusal} />
      {open && open.length > 0 && (
        <Listing things="invitations" items={open} nameOf={labelOf}>
          {(invitation) => (
            <InvitationRow
              key={invitation.id}
              of={invitation}
              path={`${base}/${invitation.id}`}
              revoked={() => {
                if (created?.id === invitation.id) setCreated(null);
                return read();
              }}
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

function OnceShown({ of: { url, email, role } }: { of: CreatedInvitation }) {
  return (
    <section class="once" aria-label="The new invitation" role="status">
      <p>
        Give this address to {email ?? 'the person whom you invite'} ({role}). It works once, for seven days,
        and is not shown again.
      </p>
      <div class="line">
        <code>{url}</code>
        <CopyButton text={url} label="Copy the address of the invitation" />
      </div>
    </section>
  );
}

type RowProps = { of: Invitation; path: string; revoked(): unknown };

function InvitationRow({ of: invitation, path, revoked }: RowProps) {
  const [asked, setAsked] = useState(false);
  const label = labelOf(invitation);
  const until = Date.parse(invitation.expires_at);
  return (
    <li class="entry">
      <div>
        <span class="card-name">{label}</span>
        <span class="badge">{invitation.role}</span>
        <p class="muted">
          until{' '}
          <time dateTime={invitation.expires_at} title={exactTime(until)}>
            {day(until)}
          </time>
        </p>
      </div>
      <button
        type="button"
        class="danger"
        aria-label={`Revoke the invitation: ${label}`}
        onClick={() => setAsked(true)}
      >
        Revoke…
      </button>
      {asked && (
        <Dialog title="Revoke the invitation?" close={() => setAsked(false)}>
          <Action
            call={{ method: 'DELETE', path }}
            label="Revoke for good"
            look="danger"
            cancel={() => setAsked(false)}
            done={() => afterRemoval(revoked)}
          >
            <p>Its address no longer works. Who has accepted it stays a member.</p>
          </Action>
        </Dialog>
      )}
    </li>
  );
}
