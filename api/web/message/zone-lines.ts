// Bounded: a line that users type for themselves.
const line = /^(\S+)(?:\s+\d+)?(?:\s+IN)?(?:\s+(\S+)(?:\s+(.*))?)?$/i;

/**
 * Reads DNS records by name and type from zone file lines (RFC 1035 section 5.1): `name TXT data`. A TTL and the class may precede the
 * type. Joins quoted strings. A name without a type is left for the API to refuse.
 */
export function recordsIn(text: string): Record<string, Record<string, string[]>> {
  const records = text.split('\n').flatMap((one) => {
    const [, name, type = '', data = ''] = line.exec(one.trim()) ?? [];
    return name === undefined ? [] : { name, type: type.toUpperCase(), data: unquoted(data) };
  });
  const byName = Map.groupBy(records, ({ name }) => name);
  return Object.fromEntries([...byName].map(([name, named]) => [name, dataByType(named)]));
}

function dataByType(records: { type: string; data: string }[]): Record<string, string[]> {
  const byType = Map.groupBy(records, ({ type }) => type);
  return Object.fromEntries([...byType].map(([type, some]) => [type, some.map(({ data }) => data)]));
}

// Bounded: a line that users type for themselves.
const unquoted = (data: string): string =>
  data.startsWith('"') ? [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part).join('') : data;
