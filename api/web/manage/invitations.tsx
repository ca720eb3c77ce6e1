import type { CreatedInvitation, Invitation } from '../client/shapes.ts';
import { Refusal } from '../parts/field.tsx';
import { ifGiven } from '../parts/form.tsx';
import { Day } from '../parts/when.tsx';
import { roles, roleWords } from '../teams/roles.ts';
import { Entry } from './card.tsx';
import { Head } from './head.tsx';
import { Listing, Once, useSecrets } from './listing.tsx';
import { Removal } from './removal.tsx';

/** Invitations to the team that can still be accepted. The address of a new one is shown once. */
export function Invitations({ team }: { team: number }) {
  const path = `/api/teams/${team}/invitations`;
  const { created, made, revoked, ...list } = useSecrets<Invitation, CreatedInvitation>(path);
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
      {created && (
        <Once name="New invitation" secret={created.url} copyLabel="Copy the invitation link">
          Send this link to {created.email ?? 'the person you invite'} ({created.role}). It works once, for
          seven days, and is not shown again.
        </Once>
      )}
      {list.items?.length === 0 ? (
        <Refusal text={list.refusal} />
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
