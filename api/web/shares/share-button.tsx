import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CreatedShare } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Form, Once } from '../parts/form.tsx';

const ends = [
  ['1d', 'In 1 day'],
  ['7d', 'In 7 days'],
  ['30d', 'In 30 days'],
] as const;

/** Focuses the button that copies the new link, because the form's button disappeared with the focus. */
const focusCopy = (box: HTMLElement | null) => box?.querySelector('button')?.focus();

/** Target of a link in the API's form, its name, and a description of what the link shows. */
type Props = { target: object; name: string; shows: string; look?: string; text?: ComponentChildren };

/** Button that creates a share link. The link is shown only this once. */
export function ShareButton({ target, name, shows, look = '', text = 'Share…' }: Props) {
  const { linkToPage, mayWrite, sharedTeam } = usePage();
  const [shown, setShown] = useState<'form' | CreatedShare | null>(null);
  const label = `Share ${name}`;
  const close = () => setShown(null);
  if (!mayWrite.value || sharedTeam.value?.allows_shares === false) return null;
  return (
    <>
      <button type="button" class={look} aria-label={label} title={label} onClick={() => setShown('form')}>
        {text}
      </button>
      {shown !== null && (
        <Dialog title={label} close={close}>
          {shown !== 'form' ? (
            <div ref={focusCopy} class="action">
              <Once name="New link" secret={shown.url} copyLabel="Copy the link">
                Copy it now: it won't be shown again. You can revoke it under{' '}
                <a href={linkToPage('shares')}>Share links</a>.
              </Once>
              <div>
                <button type="button" onClick={close}>
                  Done
                </button>
              </div>
            </div>
          ) : (
            <Form
              lead={
                <p>Anyone with the link can read {shows} without signing in. They can't change anything.</p>
              }
              fields={[{ name: 'expires_in', label: 'The link expires', choices: ends, start: '7d' }]}
              call={(body) => ({ method: 'POST', path: '/api/shares', body: { ...target, ...body } })}
              label="Create link"
              cancel={close}
              done={setShown}
            />
          )}
        </Dialog>
      )}
    </>
  );
}
