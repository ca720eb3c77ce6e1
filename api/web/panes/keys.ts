import type { Directory } from '../client/directory.ts';
import type { Teams } from '../client/teams.ts';
import type { Appearance } from '../parts/appearance.ts';
import type { Router } from '../place.ts';
import { allMail, type FlagName } from '../place-url.ts';
import type { Actions } from './actions.ts';
import type { MailList } from './mail-list.ts';
import type { Overlays } from './overlays.ts';
import { scrollMail } from './scroll-mail.ts';
import type { Selection } from './selection.ts';

/** Key binding: a single key press (`j`, `?`, `Enter`, `Ctrl+a`), or two in a row (`g i`). Viewers cannot use a binding that `writes`. */
export type Key = { keys: string[]; says: string; writes?: true; run: () => void };

const prefixMs = 1500;

/** Flags of the list filter, with the keys that toggle them. */
export const filterKeys: { flag: FlagName; key: string; says: string }[] = [
  { flag: 'unread', key: 'v u', says: 'Only unread' },
  { flag: 'is_flagged', key: 'v f', says: 'Only flagged' },
  { flag: 'has_attachments', key: 'v a', says: 'Only with attachments' },
];

export const focusOn = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

/** Creates the keys of the mail view, and the actions for them and some buttons. */
export function createKeys(
  { go, goMail, mailPlace, place }: Router,
  { mayWrite }: Teams,
  { directory }: Directory,
  { conversations }: Appearance,
  { messageAt }: MailList,
  selection: Selection,
  { copyOf, markRead, remove, toggleFlag, toggleRead, undo }: Actions,
  { ask, askForHelp, treeOut }: Overlays,
) {
  const { activeShown, chosen, clearSelection, current, everything, open, selected, step } = selection;
  let prefix = '';
  let prefixTimer: ReturnType<typeof setTimeout> | undefined;

  /** Runs an action on the chosen messages, if any. */
  const withChosen = (act: (ids: number[]) => unknown) => async () => {
    const ids = await chosen();
    if (ids.length > 0) act(ids);
  };

  /** Deletes the chosen messages. Asks first if everything is selected. */
  async function removeChosen(): Promise<void> {
    const asks = everything.value !== null;
    const ids = await chosen();
    if (asks) await ask('everything', ids);
    else remove(ids);
  }

  /** Marks everything in the list as read. Selects nothing, so the button stays in place. */
  const markAllRead = async (): Promise<void> => markRead(await selection.wholeList());

  /**
   * Deletes everything in the list after a confirmation. Selects nothing, so a refused deletion leaves no selection on which the next key
   * would act.
   */
  const removeAll = async (): Promise<void> => ask('everything', await selection.wholeList());

  /** Closes the tree over the list, clears the selection, or closes the message. */
  function letGo(): void {
    if (treeOut.value) treeOut.value = false;
    else if (place.value.view === 'refused') return;
    else if (selected.value.size > 0) clearSelection();
    else if (mailPlace.value.message !== null) goMail({ message: null, tab: null });
    focusOn('.list');
  }

  /** Adds a flag to the filter, or removes it. */
  function toggleFilter(flag: FlagName): void {
    goMail({ [flag]: !mailPlace.value[flag], message: null, tab: null });
  }

  /** Toggles rows for whole conversations. */
  function toggleConversations(): void {
    conversations.value = conversations.value === 'yes' ? 'no' : 'yes';
  }

  /** Goes to a mailbox of the current account, or of the first account. */
  function goBox(path: string): void {
    const { accounts = [] } = directory.value ?? {};
    const account = accounts.find(({ id }) => id === mailPlace.value.account) ?? accounts[0];
    const mailbox = account?.mailboxes.find((box) => box.path === path);
    if (account && mailbox) go({ ...allMail, account: account.id, mailbox: mailbox.id });
  }

  /** Goes to another row. If nothing has the focus, focuses the list, which shows the ring around its active row. */
  function stepBy(by: number, extend = false): void {
    step(by, extend);
    if (document.activeElement?.matches('body, h1')) focusOn('.list');
  }

  function copyCurrent(): void {
    const id = current.value ?? messageAt(0)?.id;
    if (id !== undefined) void copyOf(id);
  }

  function openActive(): void {
    const id = activeShown.value ?? messageAt(0)?.id;
    if (id !== undefined) open(id);
  }

  /** Bindings in the order of the help. */
  const keys: Key[] = [
    { keys: ['j'], says: 'Next message', run: () => stepBy(1) },
    { keys: ['k'], says: 'Previous message', run: () => stepBy(-1) },
    { keys: ['J'], says: 'Also select the next one', run: () => stepBy(1, true) },
    { keys: ['K'], says: 'Also select the previous one', run: () => stepBy(-1, true) },
    { keys: ['Enter', 'o'], says: 'Open', run: openActive },
    { keys: ['Space', 'PageDown'], says: 'Scroll the open message', run: () => scrollMail(1) },
    { keys: ['Shift+Space', 'PageUp'], says: 'Scroll back', run: () => scrollMail(-1) },
    { keys: ['Escape'], says: 'Close, or clear the selection', run: letGo },
    { keys: ['x'], says: 'Select', run: () => activeShown.value && selection.toggle(activeShown.value) },
    { keys: ['Ctrl+a'], says: 'Select everything in the list', run: selection.selectEverything },
    { keys: ['u'], says: 'Mark as read or unread', writes: true, run: withChosen(toggleRead) },
    { keys: ['f'], says: 'Add or remove the flag', writes: true, run: withChosen(toggleFlag) },
    { keys: ['e', '#', 'Delete'], says: 'Delete', writes: true, run: () => void removeChosen() },
    { keys: ['z'], says: 'Undo', writes: true, run: undo },
    { keys: ['m'], says: 'Move', writes: true, run: () => void ask('move') },
    { keys: ['l'], says: 'Add or remove a tag', writes: true, run: () => void ask('tag') },
    { keys: ['t'], says: 'Set an expiration time', writes: true, run: () => void ask('expiry') },
    { keys: ['c'], says: 'Copy the code or link', run: copyCurrent },
    { keys: ['/'], says: 'Search', run: () => focusOn('.search input') },
    ...filterKeys.map(({ flag, key, says }): Key => ({ keys: [key], says, run: () => toggleFilter(flag) })),
    { keys: ['v c'], says: 'Group by conversation', run: toggleConversations },
    { keys: ['g a'], says: 'Go to all mail', run: () => go(allMail) },
    { keys: ['g i'], says: 'Go to the inbox', run: () => goBox('INBOX') },
    { keys: ['g s'], says: 'Go to Sent', run: () => goBox('Sent') },
    { keys: ['g t'], says: 'Go to Trash', run: () => goBox('Trash') },
    { keys: ['g d'], says: 'Go to Drafts', run: () => goBox('Drafts') },
    { keys: ['g j'], says: 'Go to Junk', run: () => goBox('Junk') },
    { keys: ['g r'], says: 'Go to refused mail', run: () => go({ view: 'refused' }) },
    { keys: ['g m'], says: 'Go to the mailboxes', run: () => focusOn('.tree [tabindex="0"]') },
    { keys: ['g l'], says: 'Go to the list', run: () => focusOn('.list') },
    { keys: ['g o'], says: 'Go to the open message', run: () => focusOn('[role=tab][aria-selected=true]') },
    { keys: ['g x'], says: 'Go to Manage', run: () => go({ view: 'manage', page: 'domains' }) },
    { keys: ['?'], says: 'Show these shortcuts', run: askForHelp },
  ];

  /** Returns the available bindings, for the help. */
  const allKeys = (): Key[] =>
    keys.filter(
      ({ keys, writes }) =>
        (!writes || mayWrite.value) && keys.some((key) => elsewhere[place.value.view]?.test(key) ?? true),
    );

  /** Runs a key's binding. Ignores keys that are typed into a field, pressed during a dialog or menu, or needed by the focused element. */
  function takeKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.altKey || isWriting(event.target)) return;
    if (document.querySelector('dialog[open], :popover-open')) return;
    const name = nameOf(event);
    const pressed = prefix === '' ? name : `${prefix} ${name}`;
    setPrefix('');
    const found = allKeys().find(({ keys }) => keys.includes(pressed));
    if (found === undefined) {
      if (allKeys().some(({ keys }) => keys.some((key) => key.startsWith(`${name} `)))) setPrefix(name);
      return;
    }
    if ((name === 'Enter' || name.endsWith('Space')) && isPressable(event.target)) return;
    event.preventDefault();
    found.run();
  }

  function setPrefix(name: string): void {
    prefix = name;
    clearTimeout(prefixTimer);
    if (name !== '') prefixTimer = setTimeout(() => setPrefix(''), prefixMs);
  }

  return { allKeys, takeKey, letGo, markAllRead, removeAll, removeChosen, toggleConversations, toggleFilter };
}

/** Keys that work while the list is not shown. */
const elsewhere: Record<string, RegExp> = { refused: /^(g .|\?|Escape)$/, manage: /^g .$/ };

function nameOf({ key: typed, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const key = typed === ' ' ? 'Space' : typed;
  const shift = shiftKey && key.length > 1 ? 'Shift+' : '';
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${shift}${key}`;
}

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])'));

const isPressable = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('button, a, summary, [role=tab], [role=treeitem], input');
