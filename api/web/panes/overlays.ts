import { signal } from '@preact/signals';
import type { Selection } from './selection.ts';

/** Dialog, and the messages that it acts on. */
type Asked = { about: 'move' | 'tag' | 'expiry' | 'help' | 'everything'; ids: number[] };

/** Overlays of the panes: a dialog, or the mailboxes on a narrow screen. */
export function createOverlays({ chosen }: Selection) {
  /** Open dialog. Null if there is none. */
  const asked = signal<Asked | null>(null);

  /** Opens a dialog for the given messages, or for the chosen ones. Does not open if there are none. */
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
