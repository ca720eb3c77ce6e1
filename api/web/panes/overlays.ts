import { signal } from '@preact/signals';
import type { Selection } from './selection.ts';

/** Dialog, and the messages that it acts on. */
type Asked = { about: 'move' | 'tag' | 'expiry' | 'help' | 'everything'; ids: number[] };

/** Creates the overlays of the panes: a dialog, or the mailboxes on a narrow screen. */
export function createOverlays({ chosen }: Selection) {
  /** Open dialog. Null if no dialog is open. */
  const asked = signal<Asked | null>(null);

  /** Opens a dialog for the given messages, or for the chosen messages. Does nothing if there are no messages. */
  async function ask(about: Exclude<Asked['about'], 'help'>, given?: number[]): Promise<void> {
    const ids = given ?? (await chosen());
    if (ids.length > 0) asked.value = { about, ids };
  }

  return {
    asked,
    ask,
    askForHelp: () => {
      asked.value = { about: 'help', ids: [] };
    },
    closeDialog: () => {
      asked.value = null;
    },
    /** True if the mailboxes are shown as an overlay, on screens too narrow to show them permanently. */
    treeOut: signal(false),
  };
}

export type Overlays = ReturnType<typeof createOverlays>;
