import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const key = 'sandpost-theme';
const kept = localStorage.getItem(key);

/** Theme of the page: light, dark, or that of the system. Stored in this browser. */
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto');

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(key, chosen);
  applyTheme();
}

export function applyTheme(): void {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}
