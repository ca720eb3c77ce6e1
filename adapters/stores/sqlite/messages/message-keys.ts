/** Joins the keys of a message to one text, in which each stands between two line breaks. Keys have none. */
export const joinKeys = (keys: string[]): string => (keys.length === 0 ? '' : `\n${keys.join('\n')}\n`);

export const splitKeys = (text: string): string[] => text.split('\n').filter((key) => key !== '');

/** Value of the column `tags`. NULL stands for none. */
export const tagsColumn = (tags: string[]): string | null =>
  tags.length === 0 ? null : JSON.stringify(tags);
