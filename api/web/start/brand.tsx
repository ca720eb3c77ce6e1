/** Mark and name of the product. */
export function Brand() {
  return (
    <h1 class="line brand">
      <svg viewBox="0 0 48 48" width="32" height="32" aria-hidden="true">
        <rect x="4" y="11" width="40" height="27" rx="5" />
        <path d="M6 15l18 13 18-13" />
      </svg>
      Sandpost
    </h1>
  );
}
