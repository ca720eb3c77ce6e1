/**
 * Puts text on the clipboard; gives whether it worked. Over plain http, as inside many clusters, browsers offer no
 * clipboard API: there the text is selected beside `near` (which a dialog must not make inert) and copied the old way.
 */
export async function copy(text: string, near: Element): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed for this page: the old way may be.
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
