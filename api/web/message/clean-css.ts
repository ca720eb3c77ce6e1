/** Sanitises a style sheet, in the browser's own spelling. Drops @import, and replaces each URL by the result of `keep`. */
export function cleanSheet(css: string, keep: (url: string) => string): string {
  const sheet = new CSSStyleSheet();
  // Old mails hide their styles in comments from programs that support none.
  sheet.replaceSync(css.replace(/<!--|-->/g, ''));
  // Fonts are never loaded, even if images are.
  const rules = [...sheet.cssRules].filter((rule) => !(rule instanceof CSSFontFaceRule));
  return cleanUrls(rules.map((rule) => rule.cssText).join('\n'), keep);
}

/**
 * A `url(…)` token (CSS Syntax section 4.3.6), or the beginning of one that never ends. Each alternative begins with a
 * character that the one before cannot take, so that the time is linear in the text.
 */
const urlToken =
  /url\(\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"\s*|'([^'\\]*(?:\\.[^'\\]*)*)'\s*|((?:[^"'()\\\s]|\\.)+)\s*)?\)|url\(/gis;

/**
 * Replaces the URLs of declarations, as of a style attribute, spelled as `style.cssText` spells them. `keep` returns another URL,
 * or a custom property as `var(--name)`.
 */
export function cleanUrls(css: string, keep: (url: string) => string): string {
  return (
    css
      .replace(urlToken, (token, double?: string, single?: string, bare?: string) => {
        // An escaped bracket shows the same text in a string, and begins no URL elsewhere.
        if (!token.endsWith(')')) return `${token.slice(0, -1)}\\28 `;
        const kept = keep(double ?? single ?? bare ?? '');
        return /^var\(--[a-z0-9-]+\)$/.test(kept) ? kept : `url("${kept.replace(/["\\\n]/g, '\\$&')}")`;
      })
      // A `<` in a string could look like the end of the style element.
      .replace(/<(?=[/\w!?])/g, '\\3c ')
  );
}
