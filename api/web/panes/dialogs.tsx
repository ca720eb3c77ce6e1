import './dialogs.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mostCharacters } from '../message/tags.tsx';
import { useMail, usePage } from '../page.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { number } from '../parts/size.ts';
import { inOrder, nameOf } from './branches.ts';

/** Dialog open over the panes. */
export function Dialogs() {
  const { asked } = useMail();
  if (asked.value === null) return null;
  const { about, ids } = asked.value;
  if (about === 'help') return <Help />;
  if (about === 'move') return <MoveDialog ids={ids} />;
  if (about === 'tag') return <TagDialog ids={ids} />;
  if (about === 'expiry') return <ExpiryDialog ids={ids} />;
  return <EverythingDialog ids={ids} />;
}

function MoveDialog({ ids }: { ids: number[] }) {
  const { directory, mail } = usePage();
  const { closeDialog: close, list, moveTo } = mail;
  const { rows: all, scope } = list.value;
  const rows = ids.map((id) => all.find(id)).filter((row) => row !== undefined);
  const accounts = new Set([scope.account, ...rows.map(({ account_id }) => account_id)]);
  accounts.delete(null);
  const [only] = accounts;
  const account = accounts.size === 1 ? directory.value?.accounts.find(({ id }) => id === only) : undefined;
  const inOne = (mailbox: number) =>
    rows.length > 0 && rows.every(({ mailbox_id }) => mailbox_id === mailbox);
  const others = (account?.mailboxes ?? []).filter(({ id }) => id !== scope.mailbox && !inOne(id));
  return (
    <Dialog title={ids.length === 1 ? 'Move to' : `Move ${number(ids.length)} messages to`} close={close}>
      {account === undefined ? (
        <p class="muted">You can move messages only within one account. These are in several.</p>
      ) : (
        <div class="choices">
          {inOrder(others).map((mailbox) => (
            <button
              key={mailbox.id}
              type="button"
              onClick={() => {
                close();
                void moveTo(ids, mailbox);
              }}
            >
              {nameOf(mailbox)}
            </button>
          ))}
        </div>
      )}
    </Dialog>
  );
}

/** Dialog that adds a tag to messages, or removes it. Suggests the team's tags. */
function TagDialog({ ids }: { ids: number[] }) {
  const { mail, reloadTags, tags } = usePage();
  const { changeTag, closeDialog: close } = mail;
  const [text, setText] = useState('');
  const tag = text.trim();
  const run = (action: 'tag' | 'untag') => {
    close();
    void changeTag(ids, action, tag).then(() => reloadTags().catch(() => {}));
  };
  return (
    <Dialog
      title={ids.length === 1 ? 'Tag this message' : `Tag ${number(ids.length)} messages`}
      close={close}
    >
      <form
        class="choices"
        onSubmit={(event) => {
          event.preventDefault();
          if (tag !== '') run('tag');
        }}
      >
        <input
          type="text"
          aria-label="Tag"
          placeholder="Tag"
          list="known-tags"
          pattern="[^,]+"
          title="A tag can't contain a comma"
          maxLength={mostCharacters}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="known-tags">
          {tags.value.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Foot close={close}>
          <button type="button" disabled={tag === ''} onClick={() => run('untag')}>
            Remove
          </button>
          <button type="submit" class="main" disabled={tag === ''}>
            Add
          </button>
        </Foot>
      </form>
    </Dialog>
  );
}

const hourMs = 3_600_000;
const spans: [string, number][] = [
  ['In an hour', hourMs],
  ['In a day', 24 * hourMs],
  ['In a week', 7 * 24 * hourMs],
];

function ExpiryDialog({ ids }: { ids: number[] }) {
  const { change, closeDialog: close } = useMail();
  const [at, setAt] = useState('');
  const expire = (when: string | null) => {
    close();
    void change(ids, { expires_at: when });
  };
  return (
    <Dialog title="Expires" close={close}>
      <p class="muted">
        The message is deleted when it expires, or earlier if the server's retention period ends first.
      </p>
      <div class="choices">
        {spans.map(([name, ms]) => (
          <button key={name} type="button" onClick={() => expire(new Date(Date.now() + ms).toISOString())}>
            {name}
          </button>
        ))}
        <button type="button" onClick={() => expire(null)}>
          Never
        </button>
      </div>
      <form
        class="line dialog-foot"
        onSubmit={(event) => {
          event.preventDefault();
          expire(new Date(at).toISOString());
        }}
      >
        <label>
          At{' '}
          <input
            type="datetime-local"
            required
            value={at}
            onInput={(event) => setAt(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Set</button>
      </form>
    </Dialog>
  );
}

function EverythingDialog({ ids }: { ids: number[] }) {
  const { closeDialog: close, remove } = useMail();
  const one = ids.length === 1;
  const title = one ? 'Delete this message?' : `Delete all ${number(ids.length)} messages?`;
  return (
    <Dialog title={title} close={close}>
      <p>You can undo this for a few seconds. After that it's permanent.</p>
      <Foot close={close}>
        <button
          type="button"
          class="danger"
          onClick={({ currentTarget }) => {
            // Closes the dialog first, because a closed dialog immediately returns the focus. The button that opened it disappears with
            // the last message.
            currentTarget.closest('dialog')?.close();
            document.querySelector<HTMLElement>('.list')?.focus();
            remove(ids);
          }}
        >
          Delete
        </button>
      </Foot>
    </Dialog>
  );
}

/** Dialog that lists the keyboard shortcuts and the search syntax. */
function Help() {
  const { allKeys, closeDialog: close } = useMail();
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <Facts
        look="keys"
        facts={allKeys().map(({ keys, says }) => [
          says,
          keys.map((key, index) => (
            <span key={key}>
              {index > 0 && <span class="muted"> or </span>}
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </span>
          )),
        ])}
      />
      <p class="muted help-search">
        Search for words, <code>"phrases"</code>, <code>-without</code>, <code>this OR that</code>,{' '}
        <code>(groups)</code>, or operators such as <code>from:</code>. Press <kbd>↓</kbd> in the search field
        to list them.
      </p>
      <Foot close={close} word="Close" />
    </Dialog>
  );
}

type FootProps = { close(): void; word?: string; children?: ComponentChildren };

/** Buttons at the end of a dialog. The first closes it. */
const Foot = ({ close, word = 'Cancel', children }: FootProps) => (
  <div class="line dialog-foot">
    <button type="button" onClick={close}>
      {word}
    </button>
    {children}
  </div>
);
