import { type Signal, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
export type Font = 'text' | 'mono';

/** Colours and measures that somebody chose. The theme and the widths of the panes are stored in this browser. */
export function createLooks() {
  const kept = localStorage.getItem('sandpost-theme');
  /** Theme of the page: light, dark, or that of the system. */
  const theme = stored<Theme>('sandpost-theme', kept === 'light' || kept === 'dark' ? kept : 'auto');
  theme.subscribe((chosen) => {
    if (chosen === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  });

  /** Width of a pane in pixels. */
  const paneWidth = (key: string, usual: number) => stored(key, Number(localStorage.getItem(key)) || usual);

  return {
    theme,
    treeWidth: paneWidth('sandpost-tree', 224),
    listWidth: paneWidth('sandpost-list', 400),
    /** Width of a mail's HTML in CSS pixels, 0 for all there is, and its colours. Kept from message to message. */
    frameWidth: signal(0),
    frameDark: signal(false),
    frameInverted: signal(false),
    /** `yes` if the list has one row for each conversation. */
    conversations: stored<'yes' | 'no'>(
      'sandpost-conversations',
      localStorage.getItem('sandpost-conversations') === 'yes' ? 'yes' : 'no',
    ),
    /** Language of the tests that were copied last. */
    language: stored('sandpost-language', localStorage.getItem('sandpost-language') ?? 'Playwright'),
    /** Font of a mail's text. Kept from message to message. */
    font: signal<Font>('text'),
  };
}

export type Looks = ReturnType<typeof createLooks>;

/** Makes a signal whose changes are stored in this browser. */
function stored<T extends string | number>(key: string, begin: T): Signal<T> {
  const value = signal(begin);
  value.subscribe((chosen) => {
    if (chosen !== begin || localStorage.getItem(key) !== null) localStorage.setItem(key, `${chosen}`);
  });
  return value;
}
