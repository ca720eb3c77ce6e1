/** Sentence about a failure, which a screen reader reads out at once. Shows nothing without a text. */
export function Refusal({ text }: { text: string | null | undefined }) {
  return text ? (
    <p class="error" role="alert">
      {text}
    </p>
  ) : null;
}
