import { type Signal, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
export type FrameWidth = '320' | '414' | '768' | 'full';
export type Font = 'text' | 'mono';
/** Width of a pane in pixels, and the key under which it is stored. */
export type PaneWidth = { key: string; value: Signal<number> };

/** Colours and measures that somebody chose. The theme and the widths of the panes are stored in this browser. */
export function createLooks() {
  const kept = localStorage.getItem('sandpost-theme');
  /** Theme of the page: light, dark, or that of the system. */
  const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto');
  const paneWidth = (key: string, usual: number): PaneWidth => ({
    key,
    value: signal(Number(localStorage.getItem(key)) || usual),
  });

  theme.subscribe((chosen) => {
    if (chosen === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  });

  function chooseTheme(chosen: Theme): void {
    theme.value = chosen;
    localStorage.setItem('sandpost-theme', chosen);
  }

  return {
    theme,
    chooseTheme,
    treeWidth: paneWidth('sandpost-tree', 224),
    listWidth: paneWidth('sandpost-list', 400),
    /** Width of a mail's HTML in CSS pixels. Kept from message to message. */
    frameWidth: signal<FrameWidth>('full'),
    /** Font of a mail's text. Kept from message to message. */
    font: signal<Font>('text'),
  };
}
