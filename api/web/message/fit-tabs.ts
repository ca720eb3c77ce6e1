/**
 * Chooses the tabs that fit a row, by their widths in px, and returns their indices. The rest goes into a menu, whose button
 * is `menuWidth` wide. The open tab is always among those shown.
 */
export function fitTabs(widths: number[], rowWidth: number, menuWidth: number, open: number): number[] {
  const all = widths.map((_, at) => at);
  const widthOf = (shown: number[]) => shown.reduce((sum, at) => sum + (widths[at] ?? 0), 0);
  if (widthOf(all) <= rowWidth) return all;
  const others = all.filter((at) => at !== open);
  while (others.length > 0 && widthOf([...others, open]) + menuWidth > rowWidth) others.pop();
  return all.filter((at) => at === open || others.includes(at));
}
