import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';

/** Characters of tags that are looked for together in about the time of a single tag. */
const tagsATime = 256;

/** Fills values into the texts of one request's mails, within bounds of all of them together: each mail has its texts anew. */
export class Filling {
  #searched = 0;
  #places = 0;

  /**
   * Replaces the places that `pattern` finds, whose first group is a name, by values. Unknown names are left. `tagCharacters`:
   * characters of the tags that the pattern was made of. Throws Invalid.
   */
  fill(text: string, pattern: RegExp, value: (name: string) => unknown, tagCharacters = 0): string {
    const { searched, places, composedBytes } = limits.submissions;
    this.#searched += text.length * Math.max(1, Math.ceil(tagCharacters / tagsATime));
    if (this.#searched > searched) {
      const message = `may have at most ${searched} characters to fill values into, in all mails together`;
      throw invalid('body', message, 'submissions.searched');
    }
    let length = 0;
    return text.replace(pattern, (place, name: string) => {
      this.#places += 1;
      if (this.#places > places) {
        const message = `may have at most ${places} places to fill values into, in all mails together`;
        throw invalid('body', message, 'submissions.places');
      }
      const found = value(name);
      if (found === undefined || found === null || typeof found === 'object') return place;
      const filled = String(found);
      length += filled.length;
      if (length > composedBytes) {
        throw invalid('body', `may fill in at most ${composedBytes} characters`, 'submissions.composedBytes');
      }
      return filled;
    });
  }
}
