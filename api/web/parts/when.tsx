import { ago, exactTime, now } from './ago.ts';

/** Instant within a sentence: `just now`, `3 min ago`, `12 Oct`. The title gives the exact time. `at` is ISO 8601. */
export function When({ at }: { at: string }) {
  const time = Date.parse(at);
  const said = ago(time, now.value);
  return (
    <time dateTime={at} title={exactTime(time)}>
      {said === 'now' ? 'just now' : said.replace(/^\d+ (min|h|d)$/, '$& ago')}
    </time>
  );
}
