import { useEffect } from 'preact/hooks';
import { mayWrite } from '../client/teams.ts';
import { MessageView } from '../message/message-view.tsx';
import { Boundary } from '../parts/boundary.tsx';
import { Icon } from '../parts/icon.tsx';
import { goMail, mailPlace } from '../place.ts';
import { change, remove } from './actions.ts';
import { changed, currentRows, loaded } from './list.ts';
import { clearSelection, openFound, read, step } from './selection.ts';
import { Toolbar } from './toolbar.tsx';

/** Time in ms after which an open message counts as read. */
const readAfterMs = 400;

/** Right pane: the open message and its actions. Without one the list has its room. */
export function MessagePane() {
  const { message: id } = mailPlace.value;
  changed.value;
  const row = id === null ? undefined : currentRows().find(id);
  const ready = loaded.value;
  const writes = mayWrite.value;

  // A message marked as unread stays so until it is opened again.
  useEffect(() => {
    if (id === null || !ready || !writes) return;
    const timer = setTimeout(() => {
      const { is_read } = currentRows().find(id) ?? { is_read: false };
      if (!is_read && !document.hidden) void change([id], { is_read: true });
    }, readAfterMs);
    return () => clearTimeout(timer);
  }, [id, ready, writes]);

  if (id === null) return null;
  return (
    <section class="pane pane-message" aria-label="Message">
      <div class="bar">
        <button type="button" class="quiet back" onClick={() => goMail({ message: null, tab: null })}>
          <Icon name="back" /> Back
        </button>
        {openFound.value !== null && (
          <Toolbar ids={async () => [id]} message={row} onDelete={() => remove([id])} />
        )}
        <span class="bar-gap" />
        <button
          type="button"
          class="quiet icon"
          aria-label="Previous message"
          title="Previous (k)"
          onClick={() => goOn(-1)}
        >
          <Icon name="up" />
        </button>
        <button
          type="button"
          class="quiet icon"
          aria-label="Next message"
          title="Next (j)"
          onClick={() => goOn(1)}
        >
          <Icon name="down" />
        </button>
        <button
          type="button"
          class="quiet icon close"
          aria-label="Close the message"
          title="Close (Escape)"
          onClick={() => goMail({ message: null, tab: null })}
        >
          <Icon name="close" />
        </button>
      </div>
      <div class="message-room">
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

/** Opens the next message, or the previous one, whatever is selected. */
function goOn(by: number): void {
  clearSelection();
  step(by);
}
