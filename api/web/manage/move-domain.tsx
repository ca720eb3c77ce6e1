import { useState } from 'preact/hooks';
import { reloadDirectory } from '../client/directory.ts';
import type { Domain } from '../client/shapes.ts';
import { movesTo, nameOf } from '../client/teams.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { tell } from '../parts/toast.tsx';
import { afterRemoval } from './after-removal.ts';

/** Button that moves a domain to another team, after a dialog that says what it means. Absent if there is no such team. */
export function MoveDomain({ domain, disabled }: { domain: Domain; disabled: boolean }) {
  const [open, setOpen] = useState(false);
  if (movesTo.value.length === 0) return null;
  return (
    <>
      <button
        type="button"
        disabled={disabled}
        aria-label={`Move to another team: ${domain.domain}`}
        onClick={() => setOpen(true)}
      >
        Move to another team…
      </button>
      {open && (
        <Dialog title={`Move ${domain.domain} to another team?`} close={() => setOpen(false)}>
          <Confirmation domain={domain} cancel={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function Confirmation({ domain: { id, domain }, cancel }: { domain: Domain; cancel(): void }) {
  const [chosen, setChosen] = useState('');
  const choices = movesTo.value.map((team) => [`${team.id}`, nameOf(team)] as const);
  const [to = '', name = ''] = choices.find(([team]) => team === chosen) ?? choices[0] ?? [];
  return (
    <Action
      call={{ method: 'POST', path: `/api/domains/${id}/move`, body: { team_id: Number(to) } }}
      label={`Move to ${name}`}
      cancel={cancel}
      done={() => {
        tell(`${domain} moves to ${name}`);
        return afterRemoval(reloadDirectory);
      }}
    >
      <p>
        Its accounts, mailboxes and messages go along, and the members of the other team see them. This team’s
        API keys and event streams lose them at once.
      </p>
      <Field name="team_id" label="Team" value={to} set={setChosen} choices={choices} />
    </Action>
  );
}
