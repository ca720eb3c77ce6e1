import './grey-lines.css';

/** Grey lines in the place of a text that is being read. An answer within 150 ms shows none of them. */
export const GreyLines = () => (
  <div class="grey-lines" aria-hidden="true">
    {[60, 25, 40, 100, 95, 70].map((width) => (
      <span key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);
