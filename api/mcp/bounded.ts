import { limits } from '#core/limits.ts';

/**
 * Maximum characters of a string outside an answer's lists that is never truncated: an id, a verdict, an address, a URL of this server.
 */
const shortCharacters = 1000;

/** List in an answer, initially shown without items. `length` is the JSON length of all its items. */
type OpenList = { path: string; items: unknown[]; shown: unknown[]; length: number };

/** Long text in an answer, shown last. */
type OpenText = { text: string; show(text: string): void };

/**
 * Lists and long texts of a value, with the path of the value's fields. Items of a list have no deferred long texts: `texts` is null
 * there.
 */
type Opened = { path: string; lists: OpenList[]; texts: OpenText[] | null };

/**
 * Fits an answer into `limits.mcp.answerCharacters`. Short fields stay unchanged. Lists receive whole items: short lists first, and outer
 * lists before the lists within their items. Long texts share the remaining space, at least half of the total, and end with a note if
 * they are truncated. `left_out` counts the omitted items by their list's path.
 */
export function bounded(answer: object): object {
  const { answerCharacters, textCharacters } = limits.mcp;
  const lists: OpenList[] = [];
  const texts: OpenText[] = [];
  const shown = open(answer, { path: '', lists, texts }) as object;
  let left = answerCharacters - lengthOf(shown);
  const wanted = texts.reduce((sum, { text }) => sum + Math.min(text.length, textCharacters), 0);
  const forTexts = Math.min(wanted, left / 2);
  const leftOut: Record<string, number> = {};
  left = forTexts + fill(lists, left - forTexts, leftOut);
  for (const { text, show } of texts) {
    const kept = Math.max(0, Math.min(text.length, textCharacters, Math.floor(left)));
    left -= kept;
    show(kept === text.length ? text : cut(text.slice(0, kept), `${text.length} characters`));
  }
  return Object.keys(leftOut).length === 0 ? shown : { left_out: leftOut, ...shown };
}

/** Fills lists with the items that fit, then the lists within those items. Returns the remaining space. */
function fill(lists: OpenList[], room: number, leftOut: Record<string, number>): number {
  if (lists.length === 0) return room;
  let left = room;
  const inner: OpenList[] = [];
  const shortFirst = lists.toSorted((one, other) => one.length - other.length);
  for (const [index, { path, items, shown }] of shortFirst.entries()) {
    let share = left / (lists.length - index);
    for (const item of items) {
      const within: OpenList[] = [];
      const one = open(item, { path, lists: within, texts: null });
      const length = lengthOf(one) + 1;
      if (length > share) {
        leftOut[path] = (leftOut[path] ?? 0) + 1;
        continue;
      }
      share -= length;
      left -= length;
      shown.push(one);
      for (const one of within) inner.push(one);
    }
  }
  return fill(inner, left, leftOut);
}

/** Copies a value without its long texts or the items of its lists. */
function open(value: unknown, { path, lists, texts }: Opened): unknown {
  if (typeof value === 'string') {
    const most = limits.mcp.textCharacters;
    return value.length <= most ? value : cut(value.slice(0, most), `${value.length} characters`);
  }
  if (Array.isArray(value)) {
    const shown: unknown[] = [];
    lists.push({ path, items: value, shown, length: lengthOf(value) });
    return shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const waits = texts !== null && typeof field === 'string' && field.length > shortCharacters;
    const place = path === '' ? name : `${path}.${name}`;
    copy[name] = waits ? '' : open(field, { path: place, lists, texts });
    if (waits)
      texts.push({
        text: field,
        show: (text) => {
          copy[name] = text;
        },
      });
  }
  return copy;
}

const lengthOf = (value: unknown) => JSON.stringify(value).length;

/** Truncates a text, and ends it with a note that states the full length. */
export function cut(text: string, whole: string): string {
  return `${text.toWellFormed()}… [truncated to ${text.length} characters; total: ${whole}]`;
}
