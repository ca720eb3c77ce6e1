import { usePage } from '../page.ts';
import { ago, day, exactTime } from './ago.ts';

/** Instant within a sentence: `just now`, `3 min ago`, `12 Oct`. The title gives the exact time. `at` is ISO 8601. */
export function When({ at }: { at: string }) {
  const { now } = usePage();
  const time = Date.parse(at);
  const said = ago(time, now.value);
  return (
    <time dateTime={at} title={exactTime(time)}>
      {said === 'now' ? 'just now' : said.replace(/^\d+ (min|h|d)$/, '$& ago')}
    </time>
  );
}

/** Day within a sentence: `3 Dec`. The title gives the exact time. `at` is ISO 8601. */
export function Day({ at }: { at: string }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exactTime(time)}>
      {day(time)}
    </time>
  );
}
