import type { Tone } from './results.ts';

/** Result in words and color. Color never stands alone (WCAG 2.2, 1.4.1). */
export function Chip({ name, result, tone }: { name?: string; result: string; tone: Tone }) {
  return (
    <span class={`badge tone ${tone}`}>
      {name && <span class="chip-name">{name} </span>}
      {result}
    </span>
  );
}
