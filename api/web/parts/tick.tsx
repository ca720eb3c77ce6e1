type Props = { label: string; on: boolean; set(on: boolean): void };

/** Labelled check box of a form. */
export function Tick({ label, on, set }: Props) {
  return (
    <label class="tick">
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
