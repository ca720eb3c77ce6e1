/**
 * Copies text to the clipboard. Returns whether this worked. Browsers offer no clipboard API over plain http, which many clusters use:
 * then the text is selected next to `near` and copied by execCommand. No dialog may make `near` inert.
 */
export async function copy(text: string, near: Element): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The page may lack the permission, but execCommand may still work.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden';
  const focused = document.activeElement;
  near.after(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
