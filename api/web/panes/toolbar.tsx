import type { MessageSummary } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Icon, type IconName } from '../parts/icon.tsx';

type Props = {
  /** Returns the messages that the buttons act on. */
  ids: () => Promise<number[]>;
  /** Message, if there is one and it is loaded. */
  message?: MessageSummary | undefined;
  onDelete: () => void;
};

/** Buttons that act on messages. Viewers can only download. */
export function Toolbar({ ids, message, onDelete }: Props) {
  const { mail, mayWrite } = usePage();
  const { ask, change, download } = mail;
  const update = (values: Parameters<typeof change>[1]) => async () => change(await ids(), values);
  const writes = mayWrite.value;
  const isRead = message?.is_read ?? false;
  const isFlagged = message?.is_flagged ?? false;
  return (
    <div class="toolbar" role="toolbar" aria-label="Actions">
      {writes && (
        <>
          <Tool
            icon={isRead ? 'mail' : 'mailOpen'}
            name={isRead ? 'Mark as unread' : 'Mark as read'}
            press="u"
            run={update({ is_read: !isRead })}
          />
          <Tool
            icon="flag"
            name={isFlagged ? 'Take the flag off' : 'Flag'}
            press="f"
            run={update({ is_flagged: !isFlagged })}
            on={isFlagged}
          />
          <Tool icon="move" name="Move" press="m" run={async () => ask('move', await ids())} />
          <Tool icon="clock" name="Set expiry" press="t" run={async () => ask('expiry', await ids())} />
        </>
      )}
      <Tool icon="download" name="Download" run={async () => download(await ids())} />
      {writes && (
        <button
          type="button"
          class="quiet icon danger"
          aria-label="Delete"
          title="Delete (e)"
          onClick={onDelete}
        >
          <Icon name="trash" />
        </button>
      )}
    </div>
  );
}

function Tool({
  icon,
  name,
  press,
  run,
  on = false,
}: {
  icon: IconName;
  name: string;
  /** Key that does the same. */
  press?: string;
  run: () => void;
  on?: boolean;
}) {
  return (
    <button
      type="button"
      class={`quiet icon${on ? ' on' : ''}`}
      aria-label={name}
      title={press ? `${name} (${press})` : name}
      onClick={run}
    >
      <Icon name={icon} />
    </button>
  );
}
