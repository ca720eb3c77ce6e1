/** Name of a tab with the number beside it, which is not shown if 0. */
export type TabName = { id: string; name: string; count: number };

export function TabLabel({ tab: { name, count } }: { tab: TabName }) {
  return (
    <>
      {name} {count > 0 && <span class="tab-count">{count}</span>}
    </>
  );
}
