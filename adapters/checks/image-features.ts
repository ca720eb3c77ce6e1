/** Types and extensions that identify a format, in addition to its feature's name. */
const formats = new Map(
  Object.entries({
    jpeg: 'jpg',
    tif: 'tiff',
    heic: 'heif',
    'svg+xml': 'svg',
    'vnd.microsoft.icon': 'ico',
    'x-icon': 'ico',
  }),
);

/** Returns the slugs of the features that an image's URL reveals: its format, from its type or extension, and base64. */
export function imageFeatures(url: string): string[] {
  const plain = url.slice(0, 2_000).trim();
  // Bounded: the caller has truncated the URL.
  const data = /^data:image\/([\w.+-]+)[^,]*?(;base64)?,/i.exec(plain);
  const format = data?.[1] ?? /\.([a-z0-9]{3,4})(?:[?#]|$)/i.exec(plain)?.[1];
  if (format === undefined) return [];
  const name = format.toLowerCase();
  const slug = `image-${formats.get(name) ?? name}`;
  return data?.[2] === undefined ? [slug] : [slug, 'image-base64'];
}
