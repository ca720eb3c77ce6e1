import './invitation.css';
import { useState } from 'preact/hooks';
import { problemOf } from '../client/client.ts';
import type { Problem, ShownInvitation, Team } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { day } from '../parts/ago.ts';
import { Refusal } from '../parts/field.tsx';
import { Form, refusalOf } from '../parts/form.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { allMail, hrefOf } from '../place-url.ts';
import { Brand, DeadEnd } from '../start/nowhere.tsx';
import { SignIn } from '../start/sign-in.tsx';
import { roleWords } from './roles.ts';

type Props = { token: string };

/** Page of an invitation: the team, and a button that accepts the invitation. Shows the sign-in first if nobody is signed in. */
export function InvitationPage({ token }: Props) {
  const { attempt, request, session } = usePage();
  const [refused, setRefused] = useState<Problem | null>(null);
  // Accepting an invitation may fail because somebody else has used it in the meantime.
  const { value: invitation, error } = useLoaded(
    () => request<ShownInvitation>('POST', '/api/invitations/show', { token }),
    [token, refused],
  );
  if (error) return <Unusable error={error} />;
  const user = session.value;
  if (invitation === undefined || user === undefined) return null;
  const shown = <Shown invitation={invitation} />;
  if (user === null)
    return (
      <div class="middle invited">
        {shown}
        <SignIn email={invitation.email} />
      </div>
    );
  const accept = async () =>
    setRefused(
      await attempt<Team>(
        { method: 'POST', path: '/api/invitations/accept', body: { token } },
        // The team's URL replaces the invitation's.
        ({ id }) => location.replace(hrefOf(allMail, id)),
      ),
    );
  const isOther = invitation.email !== null && invitation.email !== user.email.toLowerCase();
  return (
    <main class="middle sign-in">
      <Brand />
      {shown}
      {isOther ? (
        <p class="error" role="alert">
          This invitation is for {invitation.email}, but you're signed in as {user.email}.
        </p>
      ) : (
        <>
          <p class="muted">
            You are signed in as <strong>{user.email}</strong>.
          </p>
          {refused && <Refusal text={reasonOf(refused)} />}
          <button type="button" class="main" onClick={accept}>
            Join {invitation.team_name}
          </button>
        </>
      )}
      <Form
        call={() => ({ method: 'POST', path: '/api/auth/logout' })}
        label="Sign in as someone else"
        look="beside"
        curl={false}
        done={() => location.reload()}
      />
    </main>
  );
}

function reasonOf(problem: Problem): string | undefined {
  const [first] = problem.violations ?? [];
  return first?.field === 'token' ? `This invitation ${first.message}.` : refusalOf(problem);
}

function Shown({ invitation: { team_name, role, email, expires_at } }: { invitation: ShownInvitation }) {
  return (
    <section class="stack breaks boxed invitation" aria-label="Invitation">
      <h2>You're invited to join {team_name}</h2>
      <p>
        As {roleWords[role].as}, you may {roleWords[role].may}.
      </p>
      <p class="muted">
        {email === null ? 'Works once' : `Only for ${email}, and only once`}, until{' '}
        <time dateTime={expires_at}>{day(Date.parse(expires_at))}</time>.
      </p>
    </section>
  );
}

function Unusable({ error }: { error: unknown }) {
  const { status, detail } = problemOf(error);
  const [title, text] =
    status === 404
      ? [
          'This invitation is no longer valid',
          'It has been used or revoked, or it is more than seven days old. Ask a team owner for a new one.',
        ]
      : ["Can't load the invitation", detail];
  return (
    <DeadEnd title={title} text={text}>
      <a class="button" href={hrefOf(allMail)}>
        Go to your mail
      </a>
    </DeadEnd>
  );
}
