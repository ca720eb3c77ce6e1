/** Words of Jest and Vitest for which snapshots a run may write, and ours. */
const words = { all: 'all', new: 'missing', none: 'none' };

/** Returns the place of a matcher of Jest or Vitest, by what both runners give to matchers as `this`. */
export function placeOf() {
  return { file: this.testPath, updates: words[this.snapshotState?._updateSnapshot] ?? 'missing' };
}
