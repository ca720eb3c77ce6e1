/** Jest's and Vitest's words for the snapshots that a run may write, and ours. */
const words = { all: 'all', new: 'missing', none: 'none' };

/** Returns the place of a Jest or Vitest matcher, from what both runners pass to matchers as `this`. */
export function placeOf() {
  return { file: this.testPath, updates: words[this.snapshotState?._updateSnapshot] ?? 'missing' };
}
