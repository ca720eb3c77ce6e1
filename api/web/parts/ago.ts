const thisYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const otherYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });

/** Formats a past time briefly: `now`, `3 min`, `5 h`, `2 d`, `12 Oct`. Both arguments are in ms. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / (24 * 60))} d`;
  return day(at, now);
}

/** Formats a day: `3 Dec`, or `3 Dec 2027` in another year. Both arguments are in ms. */
export const day = (at: number, now = Date.now()): string =>
  (new Date(at).getFullYear() === new Date(now).getFullYear() ? thisYear : otherYear).format(at);

export const exactTime = (at: number) => exact.format(at);
