import { directory } from '../client/directory.ts';
import { go, goMail, mailPlace } from '../place.ts';
import { noFilter } from '../place-url.ts';
import { copyOf, markRead, remove, toggleFlag, toggleRead } from './actions.ts';
import { ask, askForHelp } from './dialogs.tsx';
import { filterButtons, toggleFilter } from './filters.tsx';
import { messageAt } from './hidden.ts';
import type { Key } from './keys.ts';
import {
  activeShown,
  chosen,
  clearSelection,
  current,
  everything,
  open,
  selectEverything,
  selected,
  step,
  toggle,
  wholeList,
} from './selection.ts';
import { treeOut } from './tree-out.ts';

export const focusOn = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

/** Runs an action on the chosen messages, if there are some. */
const withChosen = (act: (ids: number[]) => unknown) => async () => {
  const ids = await chosen();
  if (ids.length > 0) act(ids);
};

/** Deletes the chosen messages. Asks first if everything is selected. */
export async function removeChosen(): Promise<void> {
  const asks = everything.value !== null;
  const ids = await chosen();
  if (asks) await ask('everything', ids);
  else remove(ids);
}

/** Marks everything in the list as read. Selects nothing, so that the button stays in place. */
export const markAllRead = async (): Promise<void> => markRead(await wholeList());

/** Deletes everything in the list after a question. Selects nothing: a refused deletion leaves no selection to the next key. */
export const removeAll = async (): Promise<void> => ask('everything', await wholeList());

/** Closes the tree over the list, or lets go of the selection, or closes the message. */
export function letGo(): void {
  if (treeOut.value) treeOut.value = false;
  else if (selected.value.size > 0) clearSelection();
  else if (mailPlace.value.message !== null) goMail({ message: null, tab: null });
  focusOn('.list');
}

/** Goes to a mailbox of the account that is shown, or of the first account. */
function goBox(path: string): void {
  const { accounts = [] } = directory.value ?? {};
  const account = accounts.find(({ id }) => id === mailPlace.value.account) ?? accounts[0];
  const mailbox = account?.mailboxes.find((box) => box.path === path);
  if (account && mailbox)
    goMail({ account: account.id, mailbox: mailbox.id, message: null, tab: null, ...noFilter });
}

function openActive(): void {
  const id = activeShown.value ?? messageAt(0)?.id;
  if (id !== undefined) open(id);
}

/** Bindings of the mail view, in the order of the help. */
export const mailKeys: Key[] = [
  { keys: ['j'], says: 'Next message', run: () => step(1) },
  { keys: ['k'], says: 'Previous message', run: () => step(-1) },
  { keys: ['J'], says: 'Select the next as well', run: () => step(1, true) },
  { keys: ['K'], says: 'Select the previous as well', run: () => step(-1, true) },
  { keys: ['Enter', 'o'], says: 'Open', run: openActive },
  { keys: ['Escape'], says: 'Close, or let go of the selection', run: letGo },
  { keys: ['x'], says: 'Select', run: () => activeShown.value !== null && toggle(activeShown.value) },
  { keys: ['Ctrl+a'], says: 'Select everything in the list', run: selectEverything },
  { keys: ['u'], says: 'Mark as unread, or read', writes: true, run: withChosen(toggleRead) },
  { keys: ['f'], says: 'Flag, or take the flag off', writes: true, run: withChosen(toggleFlag) },
  { keys: ['e', '#', 'Delete'], says: 'Delete', writes: true, run: () => void removeChosen() },
  { keys: ['m'], says: 'Move', writes: true, run: () => void ask('move') },
  { keys: ['t'], says: 'Set when it expires', writes: true, run: () => void ask('expiry') },
  {
    keys: ['c'],
    says: 'Copy the code, or the link',
    run: () => current.value !== null && void copyOf(current.value),
  },
  { keys: ['/'], says: 'Search', run: () => focusOn('.search input') },
  ...filterButtons.map(({ flag, key, says }): Key => ({ keys: [key], says, run: () => toggleFilter(flag) })),
  {
    keys: ['g a'],
    says: 'Go to all mail',
    run: () => goMail({ account: null, mailbox: null, message: null, tab: null, ...noFilter }),
  },
  { keys: ['g i'], says: 'Go to the inbox', run: () => goBox('INBOX') },
  { keys: ['g s'], says: 'Go to Sent', run: () => goBox('Sent') },
  { keys: ['g t'], says: 'Go to Trash', run: () => goBox('Trash') },
  { keys: ['g d'], says: 'Go to Drafts', run: () => goBox('Drafts') },
  { keys: ['g j'], says: 'Go to Junk', run: () => goBox('Junk') },
  { keys: ['g m'], says: 'Go to the mailboxes at the left', run: () => focusOn('.tree [tabindex="0"]') },
  { keys: ['g l'], says: 'Go to the list', run: () => focusOn('.list') },
  { keys: ['g x'], says: 'Go to the settings', run: () => go({ view: 'manage', page: 'domains' }) },
  { keys: ['?'], says: 'These keys', run: askForHelp },
];
