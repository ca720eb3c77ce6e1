// Without imports, since the shapes of the API need these lists without the comparison.

export const comparedParts = ['header', 'structure', 'text', 'html', 'attachments'] as const;
export type ComparedPart = (typeof comparedParts)[number];

/**
 * Kinds of values that differ from one email to the next. `ids`: message IDs, Content-IDs, boundaries, signatures, UUIDs, tokens, and
 * addresses that Sandpost clients generate (`signup-3f9a2c71d0@app.test`). `dates`: dates and times. `codes`: one-time codes. `queries`:
 * query strings of URLs.
 */
export const maskKinds = ['ids', 'dates', 'codes', 'queries'] as const;
export type MaskKind = (typeof maskKinds)[number];
