/**
 * Sanitizes a style sheet, and returns it in the browser's own spelling. Drops @import, and replaces each URL with the result of `keep`.
 */
export function cleanSheet(css: string, keep: (url: string) => string): string {
  const sheet = new CSSStyleSheet();
  // Old emails put their styles in comments, to hide the styles from programs that do not support them.
  sheet.replaceSync(css.replace(/<!--|-->/g, ''));
  // Fonts are never loaded, even if images are.
  const rules = [...sheet.cssRules].filter((rule) => !(rule instanceof CSSFontFaceRule));
  return cleanUrls(rules.map((rule) => rule.cssText).join('\n'), keep);
}

/**
 * Matches a `url(…)` token (CSS Syntax section 4.3.6), or the beginning of an unterminated one. Each alternative begins with a character
 * that the previous alternative cannot match, so the time is linear in the length of the text.
 */
const urlToken =
  /url\(\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"\s*|'([^'\\]*(?:\\.[^'\\]*)*)'\s*|((?:[^"'()\\\s]|\\.)+)\s*)?\)|url\(/gis;

/**
 * Replaces the URLs of declarations, for example in a style attribute, spelled as in `style.cssText`. `keep` returns another URL, or a
 * custom property as `var(--name)`.
 */
export function cleanUrls(css: string, keep: (url: string) => string): string {
  return (
    css
      .replace(urlToken, (token, double?: string, single?: string, bare?: string) => {
        // An escaped bracket looks the same in a string, and starts no URL elsewhere.
        if (!token.endsWith(')')) return `${token.slice(0, -1)}\\28 `;
        const kept = keep(double ?? single ?? bare ?? '');
        return /^var\(--[a-z0-9-]+\)$/.test(kept) ? kept : `url("${kept.replace(/["\\\n]/g, '\\$&')}")`;
      })
      // A `<` in a string could look like the beginning of the style element's end tag.
      .replace(/<(?=[/\w!?])/g, '\\3c ')
  );
}
