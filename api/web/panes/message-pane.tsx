import './conversation.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MessageView } from '../message/message-view.tsx';
import { usePage } from '../page.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, IconButton } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { When } from '../parts/when.tsx';
import { ShareButton } from '../shares/share-button.tsx';
import { Toolbar } from './toolbar.tsx';

const Assertions = lazy((all) => all.Assertions);

/** Time in ms after which an open message counts as read. */
const readAfterMs = 400;

/** Right pane: the open message and its actions. If no message is open, the list uses its space. */
export function MessagePane() {
  const { goMail, mail, mailPlace, mayWrite } = usePage();
  const { change, clearSelection, list, openFound, read, remove, step } = mail;
  const { message: id } = mailPlace.value;
  const { changed, loaded, rows } = list.value;
  changed.value;
  const row = id === null ? undefined : rows.find(id);
  const ready = loaded.value;
  const writes = mayWrite.value;

  // A message marked as unread stays unread until it is opened again.
  useEffect(() => {
    if (id === null || !ready || !writes) return;
    const timer = setTimeout(() => {
      const { is_read } = list.value.rows.find(id) ?? { is_read: false };
      if (!is_read && !document.hidden) void change([id], { is_read: true });
    }, readAfterMs);
    return () => clearTimeout(timer);
  }, [id, ready, writes]);

  if (id === null) return null;
  const close = () => goMail({ message: null, tab: null });
  /** Opens the next or previous message, regardless of the selection. */
  const goOn = (by: number) => {
    clearSelection();
    step(by);
  };
  return (
    <section class="column pane pane-message" aria-label="Message">
      <div class="line keep bar">
        <button type="button" class="quiet back" onClick={close}>
          <Icon name="back" /> Back
        </button>
        {openFound.value !== null && (
          <Toolbar ids={async () => [id]} message={row} onDelete={() => remove([id])}>
            <AssertButton id={id} />
            <ShareButton
              target={{ message_id: id }}
              name="this message"
              shows="it"
              look="quiet icon"
              text={
                <>
                  <Icon name="people" />
                  <span>Share</span>
                </>
              }
            />
          </Toolbar>
        )}
        <span class="grow" />
        <IconButton icon="up" label="Previous message" title="Previous (k)" run={() => goOn(-1)} />
        <IconButton icon="down" label="Next message" title="Next (j)" run={() => goOn(1)} />
        <IconButton icon="close" label="Close the message" title="Close (Escape)" look="close" run={close} />
      </div>
      <Conversation of={id} />
      <div class="column grow scrolls message-room">
        <Boundary part="This message" key={id}>
          <MessageView
            id={id}
            found={(exists) => {
              read.value = { id, exists };
            }}
          />
        </Boundary>
      </div>
    </section>
  );
}

function AssertButton({ id }: { id: number }) {
  const [open, setOpen] = useState(false);
  const title = 'Copy as assertion';
  return (
    <>
      <IconButton icon="check" label={title} word="Assertion" run={() => setOpen(true)} />
      {open && (
        <Dialog title={title} close={() => setOpen(false)}>
          <Assertions id={id} />
        </Dialog>
      )}
    </>
  );
}

/**
 * Listed messages of the open message's conversation, oldest first. Absent if the conversation view is off, or if there is only one
 * message.
 */
function Conversation({ of: id }: { of: number }) {
  const { linkTo, mail, mailPlace } = usePage();
  const messages = mail.conversation(id).toReversed();
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [id, messages.length]);
  if (messages.length < 2) return null;
  return (
    <nav ref={strip} class="keep scrolls conversation" aria-label="Conversation">
      {messages.map((item) => (
        <a
          key={item.id}
          class={item.is_read ? 'way' : 'way unread'}
          href={linkTo({ ...mailPlace.value, message: item.id })}
          aria-current={item.id === id ? 'true' : undefined}
        >
          <bdi class="ellipsis keep">{item.from_name ?? item.from_address}</bdi>
          <span class="ellipsis grow faint">{item.intro || item.subject}</span>
          <When at={item.received_at} />
        </a>
      ))}
    </nav>
  );
}
