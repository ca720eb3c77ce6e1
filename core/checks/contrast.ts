/** Red, green and blue, each from 0 to 255. */
export type Colour = [number, number, number];

/** Names of 16 colors in HTML 4, and orange. */
const names = new Map(
  'black=#000000 silver=#c0c0c0 gray=#808080 grey=#808080 white=#ffffff maroon=#800000 red=#ff0000 purple=#800080 fuchsia=#ff00ff green=#008000 lime=#00ff00 olive=#808000 yellow=#ffff00 navy=#000080 blue=#0000ff teal=#008080 aqua=#00ffff orange=#ffa500'
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, -8), pair.slice(-6)]),
);

/** Parses a CSS or HTML color: a name, hexadecimal digits, or `rgb()`. Returns null for other notations and for translucent colors. */
export function parseColour(text: string): Colour | null {
  const plain = text.slice(0, 100).trim().toLowerCase();
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(plain)?.[1] ?? names.get(plain);
  if (hex !== undefined) {
    const digits = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex;
    const part = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16);
    return [part(0), part(2), part(4)];
  }
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)$/.exec(plain);
  return rgb === null ? null : [Number(rgb[1]), Number(rgb[2]), Number(rgb[3])];
}

/** Returns the relative luminance, from 0 to 1 (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = Math.min(255, part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio, from 1 to 21 (WCAG 2.2). */
export function contrastRatio(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}
