/** Tells a cause that occurred `times` since it was told last. */
type Tell = (times: number) => void;

const minuteMs = 60_000;

/** Most causes that are counted apart at a time. Others are told with the next minute of theirs. */
const mostCauses = 1000;

/**
 * Limits what is told of causes that may occur with each mail: each is told at once, and then at most once a minute with its
 * number of times.
 */
export function createMinuteLog(everyMs: number = minuteMs): { note(cause: string, tell: Tell): void } {
  const counted = new Map<string, { times: number; tell: Tell }>();
  const endMinute = (cause: string) => {
    const minute = counted.get(cause);
    counted.delete(cause);
    if (minute === undefined || minute.times === 0) return;
    begin(cause, minute.tell);
    minute.tell(minute.times);
  };
  const begin = (cause: string, tell: Tell) => {
    counted.set(cause, { times: 0, tell });
    setTimeout(endMinute, everyMs, cause).unref();
  };
  return {
    note(cause, tell) {
      const minute = counted.get(cause);
      if (minute !== undefined) {
        minute.times += 1;
        minute.tell = tell;
      } else if (counted.size < mostCauses) {
        begin(cause, tell);
        tell(1);
      }
    },
  };
}
