import { type Signal, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
export type Font = 'text' | 'mono';

/** Creates the colors and measures that the user chose. This browser stores the theme and the pane widths. */
export function createAppearance() {
  const kept = localStorage.getItem('sandpost-theme');
  /** Page theme: light, dark, or the system's theme. */
  const theme = stored<Theme>('sandpost-theme', kept === 'light' || kept === 'dark' ? kept : 'auto');
  theme.subscribe((chosen) => {
    if (chosen === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  });

  /** Pane width in pixels. */
  const paneWidth = (key: string, usual: number) => stored(key, Number(localStorage.getItem(key)) || usual);

  return {
    theme,
    treeWidth: paneWidth('sandpost-tree', 224),
    listWidth: paneWidth('sandpost-list', 400),
    /** Width in CSS pixels (0 for the full width) and colors of an email's HTML. Both are kept from message to message. */
    frameWidth: signal(0),
    frameDark: signal(false),
    frameInverted: signal(false),
    /** `yes` if the list has one row for each conversation. */
    conversations: stored<'yes' | 'no'>(
      'sandpost-conversations',
      localStorage.getItem('sandpost-conversations') === 'yes' ? 'yes' : 'no',
    ),
    /** Language of the most recently copied tests. */
    language: stored('sandpost-language', localStorage.getItem('sandpost-language') ?? 'Playwright'),
    /** Font of an email's text, kept from message to message. */
    font: signal<Font>('text'),
  };
}

export type Appearance = ReturnType<typeof createAppearance>;

/** Creates a signal whose changes are stored in this browser. */
function stored<T extends string | number>(key: string, begin: T): Signal<T> {
  const value = signal(begin);
  value.subscribe((chosen) => {
    if (chosen !== begin || localStorage.getItem(key) !== null) localStorage.setItem(key, `${chosen}`);
  });
  return value;
}
