import type { ComponentChildren } from 'preact';
import type { MessageSummary } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { IconButton, type IconName } from '../parts/icon.tsx';

type Props = {
  /** Returns the messages on which the buttons act. */
  ids: () => Promise<number[]>;
  /** The message, if there is only one and it is loaded. */
  message?: MessageSummary | undefined;
  onDelete: () => void;
  /** Further buttons. */
  children?: ComponentChildren;
};

/** Action button: its icon, its name, its equivalent key, and its action. */
type Tool = [icon: IconName, name: string, key: string, run: () => unknown, look?: string];

/** Returns a name's last word, capitalized. */
export function wordOf(name: string): string {
  const last = name.slice(name.lastIndexOf(' ') + 1);
  return last.charAt(0).toUpperCase() + last.slice(1);
}

/** Buttons that act on messages. Viewers can only download. */
export function Toolbar({ ids, message, onDelete, children }: Props) {
  const { mail, mayWrite } = usePage();
  const { ask, change, download } = mail;
  const update = (values: Parameters<typeof change>[1]) => async () => change(await ids(), values);
  const isRead = message?.is_read ?? false;
  const isFlagged = message?.is_flagged ?? false;
  const markName = isRead ? 'Mark as unread' : 'Mark as read';
  const flagName = isFlagged ? 'Remove the flag' : 'Flag';
  const save: Tool = ['download', 'Download', '', async () => download(await ids())];
  const tools: Tool[] = [
    [isRead ? 'mail' : 'mailOpen', markName, 'u', update({ is_read: !isRead })],
    ['flag', flagName, 'f', update({ is_flagged: !isFlagged }), isFlagged ? 'on' : ''],
    ['tag', 'Tag', 'l', async () => ask('tag', await ids())],
    ['move', 'Move', 'm', async () => ask('move', await ids())],
    ['clock', 'Set expiration', 't', async () => ask('expiry', await ids())],
    ['trash', 'Delete', 'e', onDelete, 'danger'],
    save,
  ];
  return (
    <div class="line toolbar" role="toolbar" aria-label="Actions">
      <div class="line tools">
        {(mayWrite.value ? tools : [save]).map(([icon, name, key, run, look = '']) => (
          <IconButton
            key={key}
            icon={icon}
            label={name}
            title={key === '' ? name : `${name} (${key})`}
            look={look}
            word={wordOf(name)}
            run={run}
          />
        ))}
      </div>
      {children}
    </div>
  );
}
