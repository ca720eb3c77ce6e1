import { type ComparedPart, comparedParts } from './kinds.ts';
import type { Masked } from './masks.ts';
import type { NormalForm, NormalLine } from './normal-form.ts';

/** Difference at one place. `before` is null if only the right email has content there, and `after` if only the left email does. */
export type Change = { part: ComparedPart; path: string; before: string | null; after: string | null };

/**
 * Result of a comparison. `unified` shows all changes as a unified diff of the normal forms. `tooDifferent`: parts that differ too much
 * to list their changes in time. `masked`: number of values of each kind that were not compared, taken from the email that has more of
 * them.
 */
export type Comparison = {
  equal: boolean;
  changes: Change[];
  unified: string;
  tooDifferent: ComparedPart[];
  masked: Masked;
};

/** Hunk of a unified diff. Each line starts with a space, `-` or `+`. Line numbers start at 1. */
export type Hunk = {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
};

/** Compares lines. Returns null if the comparison would take too long. */
export type DiffLines = (left: string[], right: string[]) => Hunk[] | null;

export type ComparisonBounds = { changes: number; changeCharacters: number; unifiedCharacters: number };

/** Compares two normal forms part by part. */
export function compareForms(
  left: NormalForm,
  right: NormalForm,
  diff: DiffLines,
  bounds: ComparisonBounds,
): Omit<Comparison, 'masked'> {
  const changes: Change[] = [];
  const unified: string[] = [];
  const tooDifferent: ComparedPart[] = [];
  let equal = true;
  for (const part of comparedParts) {
    const texts = [left[part], right[part]].map((lines) => lines.map(({ text }) => text)) as [
      string[],
      string[],
    ];
    if (isSame(...texts)) continue;
    equal = false;
    unified.push(`--- left/${part}`, `+++ right/${part}`);
    const hunks = diff(...texts);
    if (hunks === null) {
      tooDifferent.push(part);
      unified.push('The two versions are too different to compare line by line');
      const [before, after] = texts.map(({ length }) => `${length} lines`);
      changes.push({ part, path: '', before: before ?? null, after: after ?? null });
      continue;
    }
    for (const hunk of hunks) {
      unified.push(rangeOf(hunk), hunk.lines.join('\n'));
      for (const change of changesOf(part, hunk, left[part], right[part])) changes.push(change);
    }
  }
  return {
    equal,
    changes: changes.slice(0, bounds.changes).map((change) => ({
      part: change.part,
      path: cut(change.path, bounds.changeCharacters),
      before: change.before && cut(change.before, bounds.changeCharacters),
      after: change.after && cut(change.after, bounds.changeCharacters),
    })),
    unified: unified.length === 0 ? '' : `${cut(unified.join('\n'), bounds.unifiedCharacters)}\n`,
    tooDifferent,
  };
}

function isSame(left: string[], right: string[]): boolean {
  return left.length === right.length && left.every((line, at) => line === right[at]);
}

/** Formats a hunk's range. If the range is empty, it names the line before it. */
function rangeOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** Consecutive removed and added lines of a hunk, with their places. */
type Run = { removed: NormalLine[]; added: NormalLine[] };

function changesOf(part: ComparedPart, hunk: Hunk, left: NormalLine[], right: NormalLine[]): Change[] {
  const changes: Change[] = [];
  let run: Run = { removed: [], added: [] };
  let [oldAt, newAt] = [hunk.oldStart - 1, hunk.newStart - 1];
  const finish = () => {
    for (const pair of pairsOf(run)) changes.push(changeOf(part, pair));
    run = { removed: [], added: [] };
  };
  for (const { 0: sign } of hunk.lines) {
    const line = sign === '+' ? right[newAt] : left[oldAt];
    if (sign === ' ') finish();
    else if (line !== undefined) (sign === '-' ? run.removed : run.added).push(line);
    if (sign !== '+') oldAt += 1;
    if (sign !== '-') newAt += 1;
  }
  finish();
  return changes;
}

/**
 * Splits a run into pairs of lines that replace each other. Pairs lines that have the same path. If no paths match, pairs lines in order,
 * provided that equal numbers were removed and added.
 */
function pairsOf({ removed, added }: Run): Run[] {
  if (removed.length === 0 || added.length === 0) return [{ removed, added }].filter(hasLines);
  const byPath = Map.groupBy(added, ({ path }) => path);
  if (removed.some(({ path }) => byPath.has(path))) {
    // Reversed, because `pop` takes lines from the end.
    for (const lines of byPath.values()) lines.reverse();
    const partner = ({ path }: NormalLine) => byPath.get(path)?.pop();
    const pairs = removed.map((line): Run => ({ removed: [line], added: [partner(line) ?? []].flat() }));
    const alone = [...byPath.values()].flatMap((lines) => lines.reverse());
    return [...pairs, ...alone.map((line): Run => ({ removed: [], added: [line] }))];
  }
  if (removed.length !== added.length) return [{ removed, added }];
  return removed.map((line, at) => ({ removed: [line], added: added.slice(at, at + 1) }));
}

const hasLines = ({ removed, added }: Run) => removed.length + added.length > 0;

function changeOf(part: ComparedPart, { removed, added }: Run): Change {
  const textOf = (lines: NormalLine[]) =>
    lines.length === 0 ? null : lines.map(({ text }) => text).join('\n');
  return { part, path: (removed[0] ?? added[0])?.path ?? '', before: textOf(removed), after: textOf(added) };
}

/** Truncates text on a character boundary and marks the cut. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
